/** Passwords and sessions of people, handled by better-auth on the tables of the account store. For API keys see access.ts. */
import type { Account } from '../domain/account.ts'
import type { AccountStore } from '../storage/account-store.ts'
import { Refusal } from './users.ts'

/** The session of a request. `cookies` are Set-Cookie lines that extend it, if it is time for that. */
export interface Session {
  readonly account: Account
  readonly cookies: readonly string[]
}

export const passwordLengthMin = 10
export const passwordLengthMax = 128

const daySeconds = 86_400

/** The emails that better-auth accepts at sign-in. The command line accepts more for an account. */
const loginEmail =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

export class Sessions {
  readonly #accounts: AccountStore
  #opened: ReturnType<typeof openAuth> | null = null

  constructor(accounts: AccountStore) {
    this.#accounts = accounts
  }

  /** Sets or replaces the password of an account, and ends its sessions. Throws Refusal for an unusable email or password. */
  async setPassword({ id, email }: Account, password: string): Promise<void> {
    requireFitPassword(password)
    requireLoginEmail(email)
    const { adapter, internalAdapter, password: passwords } = await (await this.#auth()).$context
    const hash = await passwords.hash(password)
    if (await internalAdapter.findUserById(id)) {
      await internalAdapter.updatePassword(id, hash)
      await internalAdapter.deleteUserSessions(id)
      return
    }
    const now = new Date()
    const dates = { createdAt: now, updatedAt: now }
    await adapter.create({
      model: 'user',
      data: { id, email: email.toLowerCase(), name: '', emailVerified: false, ...dates },
      forceAllowId: true,
    })
    await internalAdapter.linkAccount({ userId: id, accountId: id, providerId: 'credential', password: hash })
  }

  /** Whether the account has a password to sign in with. */
  async hasPassword({ id }: Account): Promise<boolean> {
    const { internalAdapter } = await (await this.#auth()).$context
    return (await internalAdapter.findUserById(id)) !== null
  }

  /** Set-Cookie lines of a new session; null for a wrong email or password. */
  async signIn(email: string, password: string): Promise<readonly string[] | null> {
    return this.#unlessRefused(async () => {
      const { headers } = await (await this.#auth()).api.signInEmail({
        body: { email, password },
        returnHeaders: true,
      })
      return headers.getSetCookie()
    })
  }

  /** The session of a request; null when there is none or it has ended. */
  async find(headers: Headers): Promise<Session | null> {
    const found = await (await this.#auth()).api.getSession({ headers, returnHeaders: true })
    const id = found.response?.user.id
    const account = id === undefined ? null : await this.#accounts.findAccount(id)
    return account && { account, cookies: found.headers.getSetCookie() }
  }

  /** Set-Cookie lines that remove the cookie. */
  async signOut(headers: Headers): Promise<readonly string[]> {
    const { headers: answer } = await (await this.#auth()).api.signOut({ headers, returnHeaders: true })
    return answer.getSetCookie()
  }

  async signOutEverywhere({ id }: Account): Promise<void> {
    const { internalAdapter } = await (await this.#auth()).$context
    await internalAdapter.deleteUserSessions(id)
  }

  async isPassword({ email }: Account, password: string): Promise<boolean> {
    const { internalAdapter, password: passwords } = await (await this.#auth()).$context
    const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true })
    const hash = found?.accounts.find(({ providerId }) => providerId === 'credential')?.password
    return hash ? passwords.verify({ hash, password }) : false
  }

  /** Loads better-auth at the first use, so that a server that nobody signs in to never loads it. */
  #auth(): ReturnType<typeof openAuth> {
    this.#opened ??= openAuth(this.#accounts)
    return this.#opened
  }

  async #unlessRefused<Value>(work: () => Promise<Value>): Promise<Value | null> {
    try {
      return await work()
    } catch (error) {
      const status = (error as { statusCode?: unknown }).statusCode
      if (typeof status === 'number' && status < 500) return null
      throw error
    }
  }
}

/** Throws Refusal. */
export function requireFitPassword(password: string): void {
  if (password.length >= passwordLengthMin && password.length <= passwordLengthMax) return
  throw new Refusal(`A password has ${passwordLengthMin} to ${passwordLengthMax} characters.`)
}

/** Throws Refusal. */
export function requireLoginEmail(email: string): void {
  if (!loginEmail.test(email))
    throw new Refusal(`${JSON.stringify(email)} is not an email address to sign in with.`)
}

async function openAuth(accounts: AccountStore) {
  const { betterAuth } = await import('better-auth')
  const { loginDialect } = await import('./login-dialect.ts')
  return betterAuth({
    // better-auth requires an address, but nothing shows it: no mail is sent, and its own routes are not served.
    baseURL: 'http://pugmark.invalid',
    secret: await accounts.sessionSecret(),
    database: { dialect: loginDialect(accounts.logins), type: accounts.logins.dialect },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: passwordLengthMin,
      maxPasswordLength: passwordLengthMax,
    },
    user: { modelName: 'login_user' },
    session: { modelName: 'login_session', expiresIn: 30 * daySeconds, updateAge: daySeconds },
    account: { modelName: 'login_credential' },
    verification: { modelName: 'login_verification' },
    advanced: {
      cookiePrefix: 'pugmark',
      useSecureCookies: false,
      defaultCookieAttributes: { sameSite: 'strict', httpOnly: true, path: '/' },
      ipAddress: { disableIpTracking: true },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
  })
}
