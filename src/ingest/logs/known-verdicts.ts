/**
 * What plain lines have been judged by so far, in a memory that a function of WebAssembly can look into: most lines of most logs are
 * ignored for what has been ignored before, and such lines need not become anything in JavaScript (row 9 of docs/performance.md).
 */
import { type IgnoreReason, ignoreReasons } from '../../detection/detector.ts'
import { packedStaticExtensions } from '../../detection/page-path.ts'
import { newMemory, type WasmMemory } from '../../wasm-code.ts'
import { type TableOptions, tableBytes } from './byte-memory.ts'
import { plainMethods } from './log-line.ts'

/** A verdict is a number: not known, not for this to decide, or from `ignoredFrom` on the reason why a request is ignored. */
export const unknown = 0
export const undecided = 1
export const ignoredFrom = 2
export const ignoredAs = (reason: IgnoreReason): number => ignoredFrom + ignoreReasons.indexOf(reason)

/** Requests are told apart by status, method and whether they are of a static asset. */
const requestKinds = 1000 * plainMethods.length * 2

export const extensionSlots = 256
/** Of a packed extension: the highest bits of its product with an odd number spread well. */
export const slotFactor = 0x9e3779b1
export const slotShift = 24

const wordBytes = 4

/** Where things lie in the memory, in bytes. */
export const passedAt = 0
export const ignoredAt = wordBytes
export const extensionsAt = 64
export const requestsAt = extensionsAt + extensionSlots * wordBytes
export const agentsAt = 8 * 1024
export const referrersAt = agentsAt + tableBytes

export class KnownVerdicts {
  readonly memory: WasmMemory = newMemory(referrersAt + tableBytes)
  /** Lines that were passed over. */
  readonly passed = new Int32Array(this.memory.buffer, passedAt, 1)
  /** Lines by the reason why they are ignored. */
  readonly ignored = new Int32Array(this.memory.buffer, ignoredAt, ignoreReasons.length)
  /** Verdicts by kind of request. */
  readonly requests = new Int8Array(this.memory.buffer, requestsAt, requestKinds)

  constructor() {
    const slots = new Int32Array(this.memory.buffer, extensionsAt, extensionSlots)
    for (const packed of packedStaticExtensions) {
      let slot = Math.imul(packed, slotFactor) >>> slotShift
      while (slots[slot] !== 0) slot = (slot + 1) % extensionSlots
      slots[slot] = packed
    }
  }

  /** Tables for memories of agents and referrers, whose codes are verdicts. */
  agents<Agent>(codeOf: (agent: Agent) => number): TableOptions<Agent> {
    return { buffer: this.memory.buffer, at: agentsAt, codeOf }
  }

  referrers<Referrer>(codeOf: (referrer: Referrer) => number): TableOptions<Referrer> {
    return { buffer: this.memory.buffer, at: referrersAt, codeOf }
  }
}
