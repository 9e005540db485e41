/**
 * Hands the spans that one thread of a process has read to the others, so that their numbers lie in memory once, whichever thread answers
 * (row 11 of docs/performance.md). Each span tells of which state it is: who knows another does not take it.
 */
import { type MessagePort, threadId } from 'node:worker_threads'
import { type Span, type SpanShape, shapeOf, spanIn } from './sqlite-span.ts'

/** A span without anything that waits: the filed revision of its site tells everything in it. */
export interface GivenSpan {
  readonly site: number
  readonly filedRevision: number
  readonly span: Span
  /** How many subjects of the site the giver knew, and the last of them: a name has the same index for all who know these. */
  readonly subjects: number
  readonly lastSubject: number
}

/** What a thread keeps in memory. */
export interface SpanHolder {
  take(given: GivenSpan): void
  /** Those that may be handed over. */
  sharedSpans(): Iterable<GivenSpan>
}

interface Message extends Omit<GivenSpan, 'span'> {
  readonly firstDay: number
  readonly thread: number
  readonly shape: SpanShape
  readonly memory: ArrayBufferLike
}

/** They are taken in about a millisecond, in which the thread answers nobody. */
const spansPerTurn = 100

/** V8 does not count shared memory, so that however much of it is garbage never makes it collect any. */
const droppedBytesMax = 16 * 2 ** 20

export class SpanExchange {
  readonly #thread: number
  #holder: SpanHolder | null = null
  /** What is still to be sent to each. */
  readonly #peers = new Map<MessagePort, GivenSpan[]>()
  #isPosting = false
  #droppedBytes = 0
  #isWatching = false
  readonly #collections = new FinalizationRegistry<null>(() => {
    this.#isWatching = false
    this.#droppedBytes = 0
  })
  readonly #post = (): void => {
    this.#isPosting = false
    for (const [port, spans] of this.#peers) {
      if (spans.length > 0) port.postMessage(spans.splice(0, spansPerTurn).map(toMessage))
      if (spans.length > 0) this.#postSoon()
    }
  }

  /** Of two threads that have read the same, the copy of the one with the lower number stays. */
  constructor(thread = threadId) {
    this.#thread = thread
  }

  hold(holder: SpanHolder): void {
    this.#holder = holder
  }

  /** Begins to exchange spans with the thread at the other end, which has opened the same file. Keeps no process alive. */
  connect(port: MessagePort): void {
    this.#peers.set(port, [...(this.#holder?.sharedSpans() ?? [])])
    port.on('message', (messages: readonly Message[]) => {
      for (const message of messages) this.#holder?.take(toGiven(message))
    })
    port.on('close', () => this.#peers.delete(port))
    port.unref()
    this.#postSoon()
  }

  /** To be called before what the holder reads from is closed. */
  close(): void {
    this.#holder = null
    for (const port of this.#peers.keys()) port.close()
    this.#peers.clear()
  }

  /** Memory for a span that this thread reads. */
  spanOf(firstDay: number, shape: SpanShape, length: number): Span {
    const memory =
      this.#droppedBytes > droppedBytesMax ? new ArrayBuffer(length) : new SharedArrayBuffer(length)
    return spanIn(memory, firstDay, shape, this.#thread)
  }

  give(given: GivenSpan): void {
    if (this.#peers.size === 0) return
    for (const spans of this.#peers.values()) spans.push(given)
    this.#postSoon()
  }

  /** To be called when spans are forgotten. */
  drop(bytes: number): void {
    this.#droppedBytes += bytes
    if (this.#isWatching || bytes === 0) return
    this.#isWatching = true
    this.#collections.register({}, null)
  }

  #postSoon(): void {
    if (this.#isPosting) return
    this.#isPosting = true
    setImmediate(this.#post)
  }
}

const toMessage = ({ span, ...rest }: GivenSpan): Message => ({
  ...rest,
  firstDay: span.firstDay,
  thread: span.thread,
  shape: shapeOf(span),
  memory: span.counts.buffer,
})

const toGiven = ({ firstDay, thread, shape, memory, ...rest }: Message): GivenSpan => ({
  ...rest,
  span: spanIn(memory, firstDay, shape, thread),
})
