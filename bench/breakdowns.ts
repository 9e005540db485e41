/** Row 13: the top pages of a site with so many pages that no day keeps them all, asked of a fresh process and of one in use. */
import { formatDay } from '../src/domain/date-range.ts'
import { type Bench, type Benchmark, judge, type Row, type StoredFixture } from './benchmark.ts'
import { ask, figure } from './compare.ts'
import type { PreparedRequest } from './load.ts'
import { type ServerProcess, startPugmark } from './processes.ts'

export const breakdowns: readonly Benchmark[] = [
  { row: 13, about: 'top pages of 100,000 over 90 days', run: measureTopPages },
]

const rangeDays = 90
/** Of one process; their ranges differ by a day each, so that no answer is remembered. */
const warmQuestions = 20

async function measureTopPages(bench: Bench): Promise<Row[]> {
  const fixture = await bench.manyPages()
  const stats = request(fixture, 'stats', {})
  const first: Answer[] = []
  const firstStats: Answer[] = []
  const afterStats: Answer[] = []
  const later: Answer[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const server = await startPugmark(fixture.data)
    try {
      firstStats.push(await timed(server, stats))
      afterStats.push(await timed(server, topPages(fixture, 0)))
      for (let i = 1; i <= warmQuestions; i++) later.push(await timed(server, topPages(fixture, i)))
    } finally {
      await server.stop()
    }
    const fresh = await startPugmark(fixture.data)
    try {
      first.push(await timed(fresh, topPages(fixture, 0)))
    } finally {
      await fresh.stop()
    }
  }
  const bound = (measure: string, answers: readonly Answer[], atMost: number, note: string): Row => {
    const ours = figure(answers.map(({ ms }) => ms))
    const score = ours.median
    return judge({ row: 13, measure, unit: 'ms', ours, yardstick: null, score, target: { atMost }, note })
  }
  const cpuMs = (answers: readonly Answer[]): string =>
    (answers.reduce((sum, each) => sum + each.cpuMs, 0) / answers.length).toFixed(0)
  const pages = first[0]!.pages.toLocaleString('en')
  const statsMs = figure(firstStats.map(({ ms }) => ms)).median.toFixed(0)
  return [
    bound(
      'top pages of 90 days, the first question to a fresh process',
      first,
      50,
      `of ${pages} pages; CPU ${cpuMs(first)} ms; stats as first question took ${statsMs} ms, CPU ${cpuMs(firstStats)} ms`,
    ),
    bound(
      'top pages of 90 days, the first breakdown after one question for stats',
      afterStats,
      50,
      `CPU ${cpuMs(afterStats)} ms`,
    ),
    bound('top pages of 90 days, again and again for other ranges', later, 50, `CPU ${cpuMs(later)} ms`),
  ]
}

interface Answer {
  readonly ms: number
  /** CPU time of the server, all threads; the kernel counts in steps of 10 ms. */
  readonly cpuMs: number
  readonly pages: number
}

const topPages = (fixture: StoredFixture, daysLater: number): PreparedRequest =>
  request(fixture, 'breakdown', {
    dimension: 'page',
    start: formatDay(fixture.lastDay - rangeDays + 1 + daysLater),
    end: formatDay(fixture.lastDay + daysLater),
  })

function request(fixture: StoredFixture, operation: string, query: Record<string, string>): PreparedRequest {
  return {
    method: 'GET',
    path: `/api/v1/sites/${fixture.siteIds[0]}/${operation}?${new URLSearchParams(query)}`,
    headers: { Authorization: `Bearer ${fixture.key}` },
  }
}

/** Asks once. Throws when a breakdown has no pages. */
async function timed(server: ServerProcess, question: PreparedRequest): Promise<Answer> {
  const cpuBefore = server.cpuMicroseconds()
  const before = performance.now()
  const { body } = await ask(server.url, question)
  const ms = performance.now() - before
  const { row_count: pages = 0 } = JSON.parse(body) as { row_count?: number }
  if (question.path.includes('/breakdown?') && pages === 0) {
    throw new Error(`no pages in ${body.slice(0, 500)}`)
  }
  return { ms, cpuMs: (server.cpuMicroseconds() - cpuBefore) / 1000, pages }
}
