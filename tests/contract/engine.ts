/** What the contract suites need of an engine, and how an engine says what it cannot promise. */
import { after, before, describe, test } from 'node:test'
import type { Stores } from '../../src/storage/stores.ts'

export interface OpenedEngine {
  readonly stores: Stores
  /** Opens the same data once more, as another process would, while the first stays open. Closed together with it. */
  reopen(): Promise<Stores>
  /** Closes everything that was opened and removes the data. */
  close(): Promise<void>
}

/** Opens an engine on data of its own, empty. */
export type OpenEngine = () => Promise<OpenedEngine>

/** Promises that an engine can lack without being useless. Every other promise of the suites is for all engines. */
export type Capability =
  /** A repeat of a request records nothing and is answered as the first was. */
  | 'repeats-are-recognised'
  /** The monthly limit holds to the unit, also when several processes record at once. */
  | 'exact-quota'
  /** No answer shows one part of a batch without the other. */
  | 'whole-batches-in-answers'

/** What an engine lacks, with the reason, which the report of the tests then shows. */
export type Lacks = Partial<Readonly<Record<Capability, string>>>

export interface Suite {
  readonly engine: OpenedEngine
  /** The same data opened once more, as another process would have it; one for all tests of the suite. */
  another(): Promise<Stores>
  /** A number for a site or an account that no other test of the suite has. */
  newNumber(): number
  /** Declares a test of a promise; `needs` names the capability without which it is skipped. */
  promise(sentence: string, check: () => Promise<void>, needs?: Capability): void
}

/** One opening serves all tests of a suite: they stay apart by the numbers of their sites, as real sites do. */
export function contractSuite(
  title: string,
  open: OpenEngine,
  lacks: Lacks,
  define: (suite: Suite) => void,
): void {
  describe(title, () => {
    let engine: OpenedEngine | null = null
    let another: Promise<Stores> | null = null
    let lastNumber = 0
    before(async () => {
      engine = await open()
    })
    after(() => engine?.close())
    define({
      get engine() {
        return engine!
      },
      another() {
        another ??= engine!.reopen()
        return another
      },
      newNumber: () => ++lastNumber,
      promise: (sentence, check, needs) =>
        void test(sentence, { skip: needs !== undefined && (lacks[needs] ?? false) }, check),
    })
  })
}
