/** Of many reports the nearest is found, and no flood of reports makes finding it long. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameRequestMs } from '../../../domain/event.ts'
import { nearestReport, type SeenRequest, type SightedEvent, SightedEvents } from './sqlite-sighted-events.ts'

const holder = { setWays() {} }
const [hits, drain] = [2, 32]
const client = 7

const gathered = (events: readonly SightedEvent[]): SightedEvents => {
  const sighted = new SightedEvents()
  for (const event of events) sighted.add(client, event)
  return sighted
}

const aMoment = fc.integer({ min: 0, max: 3 * sameRequestMs })
const aRequest: fc.Arbitrary<SeenRequest> = fc.record({
  time: aMoment,
  subject: fc.constantFrom(1, 2, -1),
  path: fc.constantFrom(1, 2, -1),
})
const anEvent = fc.record({
  ...{ seen: aRequest, ways: fc.constantFrom(hits, drain, hits + drain) },
})

test('the nearest report of the same request by another way in is found, in whatever order they came', () => {
  fc.assert(
    fc.property(fc.array(anEvent), fc.array(anEvent), aRequest, (some, others, request) => {
      const [one, other] = [some, others].map(list =>
        list.map(({ seen, ways }, index): SightedEvent => ({ ...seen, ways, holder, index })),
      )
      const found = nearestReport([gathered(one!), gathered(other!)], request, client, drain)
      const distances = [...one!, ...other!]
        .filter(
          ({ ways, path, subject }) => ways === hits && path === request.path && subject === request.subject,
        )
        .map(({ time }) => Math.abs(time - request.time))
        .filter(apartMs => apartMs <= sameRequestMs)
      assert.equal(
        found && Math.abs(found.time - request.time),
        distances.length === 0 ? null : Math.min(...distances),
      )
      assert.ok(found === null || found.ways === hits)
    }),
  )
})

test('a flood of requests for one page or many costs a report a bounded number of looks', () => {
  let looks = 0
  const flood = Array.from(
    { length: 20_000 },
    (_, index): SightedEvent => ({
      ...{ time: index % 1_000, subject: 1, path: index % 2 === 0 ? 1 : index, holder, index },
      get ways() {
        looks++
        return drain
      },
    }),
  )
  assert.equal(nearestReport([gathered(flood)], { time: 500, subject: 1, path: 1 }, client, drain), null)
  assert.ok(looks <= 1_000, `${looks} looks`)
})
