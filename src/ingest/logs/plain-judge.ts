/**
 * Judges plain lines: the same verdicts and events that LineJudge comes to, found by the bytes of a line's fields, each of which
 * is judged when it is met for the first time (row 9 of docs/performance.md).
 */
import { ignoreReasons, type UserAgentVerdict, type Verdict } from '../../detection/detector.ts'
import { isStaticPath, pagePath } from '../../detection/page-path.ts'
import type { Provenance } from '../../domain/event.ts'
import { clientOf } from '../client-address.ts'
import { ByteMemory } from './byte-memory.ts'
import type { EventGatherer } from './event-gatherer.ts'
import type { Tally } from './import-report.ts'
import { ignoredAs, ignoredFrom, KnownVerdicts, undecided, unknown } from './known-verdicts.ts'
import type { JudgeParts } from './line-judge.ts'
import { type PassOver, type PlainLineReader, plainMethods, present } from './log-line.ts'

/** A run of whole lines. */
export interface LineRun {
  readonly bytes: Buffer
  readonly view: DataView
  readonly from: number
  readonly to: number
}

interface Agent {
  readonly userAgent: string
  readonly verdict: UserAgentVerdict
  /** Of its last request that counted: it mostly holds for the next one too. */
  last: {
    readonly referrer: string
    readonly status: number
    readonly rule: string
    readonly origin: Provenance
  } | null
}

interface Referrer {
  readonly referrer: string
  /** Of a request without a query, whose marks would count too. */
  readonly verdict: Exclude<Verdict, { kind: 'bot' }>
}

interface Landing {
  readonly url: string
  /** Of its last request: who clicks the same link again mostly comes from the same place. */
  last: { readonly referrer: string; readonly verdict: Referrer['verdict'] } | null
}

interface Client {
  readonly country: string
  readonly client: string | null
}

export class PlainJudge {
  readonly #parts: JudgeParts
  readonly #reader: PlainLineReader
  readonly #siteDomain: string
  readonly #events: EventGatherer
  readonly #known = new KnownVerdicts()
  readonly #passOver: PassOver | null
  readonly #agents: ByteMemory<Agent>
  readonly #referrers: ByteMemory<Referrer>
  readonly #landings = new ByteMemory<Landing>((bytes, from, to) => ({
    url: textOf(bytes, from, to),
    last: null,
  }))
  readonly #clients: ByteMemory<Client>
  readonly #paths = new ByteMemory((bytes, from, to) => pagePath(textOf(bytes, from, to)))
  readonly #ignored = this.#known.ignored
  #lines = 0
  #bots = 0
  #referrals = 0

  constructor(parts: JudgeParts, reader: PlainLineReader, siteDomain: string, events: EventGatherer) {
    const { detector, countryOf } = parts
    this.#parts = parts
    this.#reader = reader
    this.#siteDomain = siteDomain
    this.#events = events
    this.#passOver = reader.passing(this.#known)
    this.#agents = new ByteMemory((bytes, from, to): Agent => {
      const userAgent = fieldOf(bytes, from, to)
      return { userAgent, verdict: detector.judgeUserAgent(userAgent), last: null }
    }, this.#known.agents(codeOfAgent))
    this.#referrers = new ByteMemory((bytes, from, to): Referrer => {
      const referrer = fieldOf(bytes, from, to)
      return { referrer, verdict: detector.judgeReferrer({ referrer, url: '/', siteDomain }) }
    }, this.#known.referrers(codeOfReferrer))
    this.#clients = new ByteMemory((bytes, from, to) => {
      const address = present(textOf(bytes, from, to).replace(/ .*$/, ''))
      return { country: countryOf(address), client: clientOf(address) }
    })
  }

  /** Judges the lines of the run up to the first that is not plain or not of a time until `latestMs`, and returns where that one begins. */
  judge({ bytes, view, from, to }: LineRun, latestMs: number, eventsMax: number): number {
    let at = from
    while (at < to && this.#events.count < eventsMax) {
      if (this.#passOver !== null) at = this.#passOver(bytes, at, to, latestMs)
      if (at >= to) break
      const next = this.#reader.read(bytes, view, at, to)
      if (next === -1 || !this.#judgeLine(bytes, view, latestMs)) break
      at = next
    }
    return at
  }

  /** Lines judged since the tally was taken. */
  get lines(): number {
    return this.#lines + this.#known.passed[0]!
  }

  /** Adds what the lines came to since the last call. */
  addTo(tally: Tally): void {
    tally.lines += this.lines
    tally.recorded.bot += this.#bots
    tally.recorded.referral += this.#referrals
    ignoreReasons.forEach((reason, number) => {
      tally.ignored[reason] += this.#ignored[number]!
    })
    this.#lines = 0
    this.#known.passed[0] = 0
    this.#bots = 0
    this.#referrals = 0
    this.#ignored.fill(0)
  }

  /** False, and nothing is counted, when it is of no time that is taken. */
  #judgeLine(bytes: Buffer, view: DataView, latestMs: number): boolean {
    const { timeMs } = this.#reader.line
    if (!(timeMs >= 0 && timeMs <= latestMs)) return false
    const verdict = this.#judgeRequest(bytes)
    if (verdict !== undecided) this.#ignored[verdict - ignoredFrom]!++
    else this.#judgeVisitor(bytes, view)
    this.#lines++
    return true
  }

  #judgeRequest(bytes: Buffer): number {
    const { status, method, targetFrom, pathTo, targetTo } = this.#reader.line
    const isAsset = isStaticPath(bytes, targetFrom, pathTo) ? 1 : 0
    const kind = (status * plainMethods.length + method) * 2 + isAsset
    const known = this.#known.requests[kind]!
    if (known !== unknown) return known
    const url = textOf(bytes, targetFrom, targetTo)
    const ignored = this.#parts.detector.judgeRequest({ method: plainMethods[method]!, status, url })
    const verdict = ignored === null ? undecided : ignoredAs(ignored.reason)
    this.#known.requests[kind] = verdict
    return verdict
  }

  #judgeVisitor(bytes: Buffer, view: DataView): void {
    const { line } = this.#reader
    const agent = this.#agents.of(bytes, view, line.agentFrom, line.agentTo)
    const { verdict: ofAgent } = agent
    if (ofAgent.kind === 'ignored') {
      this.#ignored[ignoreReasons.indexOf(ofAgent.reason)]!++
      return
    }
    const known = this.#referrers.of(bytes, view, line.referrerFrom, line.referrerTo)
    const { referrer } = known
    const verdict =
      ofAgent.kind === 'bot'
        ? ofAgent
        : line.pathTo === line.targetTo
          ? known.verdict
          : this.#judgeLanding(bytes, view, referrer)
    if (verdict.kind === 'ignored') {
      this.#ignored[ignoreReasons.indexOf(verdict.reason)]!++
      return
    }
    if (verdict.kind === 'bot') this.#bots++
    else this.#referrals++
    const { country, client } = this.#clients.of(bytes, view, line.addressFrom, line.addressTo)
    const path = this.#paths.of(bytes, view, line.targetFrom, line.pathTo)
    const origin = this.#originOf(agent, referrer, verdict.rule)
    this.#events.add(verdict, { path, country, client, createdAt: line.timeMs, origin })
  }

  #originOf(agent: Agent, referrer: string, rule: string): Provenance {
    const { userAgent, last } = agent
    const { status } = this.#reader.line
    if (last?.status === status && last.referrer === referrer && last.rule === rule) return last.origin
    const origin = this.#events.originOf({ userAgent, referrer, status }, rule)
    agent.last = { referrer, status, rule, origin }
    return origin
  }

  #judgeLanding(bytes: Buffer, view: DataView, referrer: string): Referrer['verdict'] {
    const { targetFrom, targetTo } = this.#reader.line
    const landing = this.#landings.of(bytes, view, targetFrom, targetTo)
    const { url, last } = landing
    if (last?.referrer === referrer) return last.verdict
    const verdict = this.#parts.detector.judgeReferrer({ referrer, url, siteDomain: this.#siteDomain })
    landing.last = { referrer, verdict }
    return verdict
  }
}

/** Of ASCII. */
const textOf = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to)

const fieldOf = (bytes: Buffer, from: number, to: number): string => present(textOf(bytes, from, to))

/** A bot is counted, a browser judged by where it came from. */
const codeOfAgent = ({ verdict }: Agent): number =>
  verdict.kind === 'ignored' ? ignoredAs(verdict.reason) : verdict.kind === 'browser' ? undecided : unknown

const codeOfReferrer = ({ verdict }: Referrer): number =>
  verdict.kind === 'ignored' ? ignoredAs(verdict.reason) : unknown
