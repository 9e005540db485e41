/** Remembers when keys were last used and stores it once a minute, so that a request never waits for the disk. */
import type { AccountStore } from '../storage/account-store.ts'

const minuteMs = 60_000

export class KeyUse {
  readonly #accounts: AccountStore
  #pending = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(accounts: AccountStore) {
    this.#accounts = accounts
    this.#timer = setInterval(() => void this.#write(), minuteMs).unref()
  }

  used(keyId: string, now: number): void {
    this.#pending.set(keyId, now)
  }

  /** Writes what is pending. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#write()
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return
    const pending = this.#pending
    this.#pending = new Map()
    // The date is for information only, so a full disk must not stop the server.
    await this.#accounts.touchKeys(pending).catch(() => undefined)
  }
}
