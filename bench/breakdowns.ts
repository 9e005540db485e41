/** Row 13: the top pages of a site with so many pages that no day keeps them all, asked of a fresh process and of one in use. */
import { formatDay } from '../src/domain/date-range.ts'
import { type Bench, type Benchmark, judge, type Row, type StoredFixture } from './benchmark.ts'
import { ask, figure } from './compare.ts'
import type { PreparedRequest } from './load.ts'
import { type ServerProcess, startFootfall } from './processes.ts'

export const breakdowns: readonly Benchmark[] = [
  { row: 13, about: 'top pages of 100,000 over 90 days', run: measureTopPages },
]

const rangeDays = 90
/** Of one process; their ranges differ by a day each, so that no answer is remembered. */
const warmQuestions = 20

async function measureTopPages(bench: Bench): Promise<Row[]> {
  const fixture = await bench.manyPages()
  const first: number[] = []
  const firstOfKind: number[] = []
  const later: number[] = []
  let pages = 0
  for (let round = 0; round < bench.rounds; round++) {
    const server = await startFootfall(fixture.data)
    try {
      // Everything but the breakdown itself has run before.
      await timed(server, request(fixture, 'stats', {}))
      firstOfKind.push((await timed(server, topPages(fixture, 0))).ms)
      for (let i = 1; i <= warmQuestions; i++) later.push((await timed(server, topPages(fixture, i))).ms)
    } finally {
      await server.stop()
    }
    // By now the asking side has asked before.
    const fresh = await startFootfall(fixture.data)
    try {
      const answer = await timed(fresh, topPages(fixture, 0))
      pages = answer.pages
      first.push(answer.ms)
    } finally {
      await fresh.stop()
    }
  }
  const note = `${pages.toLocaleString('en')} pages in the answer's range`
  const bound = (measure: string, values: number[], atMost: number): Row => {
    const ours = figure(values)
    const score = ours.median
    return judge({ row: 13, measure, unit: 'ms', ours, yardstick: null, score, target: { atMost }, note })
  }
  return [
    bound('top pages of 90 days, the first question to a fresh process', first, 50),
    bound('top pages of 90 days, the first breakdown of a process that has answered stats', firstOfKind, 50),
    bound('top pages of 90 days, asked again and again for other ranges', later, 50),
  ]
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

/** Asks once, over a connection that is new for the first question. Throws when the answer has no pages. */
async function timed(server: ServerProcess, question: PreparedRequest) {
  const before = performance.now()
  const { body } = await ask(server.url, question)
  const ms = performance.now() - before
  const { row_count: pages } = JSON.parse(body) as { row_count?: number }
  if (question.path.includes('/breakdown?') && !(pages! > 0)) throw new Error(`no pages in ${body}`)
  return { ms, pages: pages ?? 0 }
}
