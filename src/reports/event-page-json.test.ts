/** A page spelled by the byte must be what JSON.stringify makes of its events, one by one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { encodeCursor } from '../domain/cursor.ts'
import { dayMs, lastDay } from '../domain/date-range.ts'
import { eventTypes } from '../domain/event.ts'
import type { EventPage, ListedEvent } from '../storage/event-store.ts'
import type { EventListReport } from './event-list.ts'
import { EventPageJson } from './event-page-json.ts'

/** Memory that was used before. */
const filled = (length: number): Buffer => Buffer.alloc(length, '7')

/** Gives texts numbers as a store does, and columns to events. */
class Columns {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []

  pageOf(events: readonly ListedEvent[]): EventPage {
    return {
      count: events.length,
      ids: Float64Array.from(events, ({ id }) => id),
      times: Float64Array.from(events, ({ createdAt }) => createdAt),
      types: Uint8Array.from(events, ({ type }) => eventTypes.indexOf(type)),
      subjects: Uint32Array.from(events, ({ type, name, company }) =>
        this.#numberOf(JSON.stringify({ type, name, company })),
      ),
      paths: Uint32Array.from(events, ({ path }) => this.#numberOf(path)),
      countries: Uint16Array.from(events, ({ country }) => Buffer.from(country).readUInt16BE()),
      values: Float64Array.from(events, ({ value }) => value ?? Number.NaN),
      subjectsNear: number => new Map([[number, JSON.parse(this.#texts[number - 1]!)]]),
      pathsNear: number => new Map(this.#texts.map((text, i) => [i + 1, text] as const).slice(number - 1)),
    }
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text) ?? this.#texts.push(text)
    this.#numbers.set(text, known)
    return known
  }
}

function expected(events: readonly ListedEvent[], limit: number): EventListReport {
  const page = events.slice(0, limit)
  const last = page.at(-1)
  return {
    events: page.map(({ id, type, name, company, path, country, createdAt, value }) => {
      const common = { page_path: path, country, created_at: new Date(createdAt).toISOString() }
      if (type === 'bot') return { id, type, bot_name: name, bot_company: company, ...common }
      if (type === 'referral') return { id, type, source: name, ...common }
      return { id, type, event_name: name, event_value: value, ...common }
    }),
    next_cursor: last && events.length > limit ? encodeCursor(last) : null,
  }
}

const text = fc.oneof(anyText(40), fc.constantFrom('/a', '/a/b', '"\\\u2028\u0000', '😀', '/🦊/ü'))
const event: fc.Arbitrary<ListedEvent> = fc
  .record({
    id: fc.oneof(fc.nat(), fc.nat({ max: Number.MAX_SAFE_INTEGER })),
    type: fc.constantFrom(...eventTypes),
    name: text,
    company: text,
    path: text,
    country: fc.constantFrom('DE', 'US', 'ZZ'),
    createdAt: fc.oneof(fc.nat({ max: (lastDay + 1) * dayMs - 1 }), fc.nat({ max: 3 * dayMs })),
    value: fc.oneof(
      fc.constant(null),
      fc.nat({ max: 10_000 }).map(cents => cents / 100),
      fc.double({ noNaN: true }),
    ),
  })
  .map(each => ({ ...each, value: each.type === 'conversion' ? each.value : null }))

test('pages of any events, of which later ones name what earlier ones did', () => {
  const pages = fc.array(fc.tuple(fc.array(event, { maxLength: 12 }), fc.integer({ min: 1, max: 12 })))
  fc.assert(
    fc.property(pages, list => {
      const columns = new Columns()
      const json = new EventPageJson()
      for (const [events, limit] of list) {
        const bytes = json.spell(columns.pageOf(events), limit, filled)
        assert.equal(bytes.toString(), JSON.stringify(expected(events, limit)))
      }
    }),
  )
})

test('a page of the longest paths there are', () => {
  const events = Array.from({ length: 1_001 }, (_, i): ListedEvent => {
    const common = { id: 2 ** 53 - 1 - i, createdAt: (lastDay + 1) * dayMs - 1, country: 'ZZ' }
    const path = `/${i}${'\u0001'.repeat(2_040)}`
    return {
      type: 'conversion',
      name: '"'.repeat(200),
      company: '',
      path,
      value: -Number.MAX_VALUE,
      ...common,
    }
  })
  const bytes = new EventPageJson().spell(new Columns().pageOf(events), 1_000, filled)
  assert.deepEqual(JSON.parse(bytes.toString()), expected(events, 1_000))
})

test('a page of more events and days than are spelled at once, and then one of few', () => {
  const bot = {
    type: 'bot',
    name: 'GPTBot',
    company: 'OpenAI',
    path: '/',
    country: 'DE',
    value: null,
  } as const
  const events = Array.from({ length: 2_500 }, (_, i): ListedEvent => {
    const common = { id: 2 ** 53 - 1 - i * 10 ** (i % 12), createdAt: (4_000 - i) * dayMs + i * 34_567 }
    return i % 3 === 0
      ? { ...bot, ...common, type: 'conversion', company: '', value: i / 8 }
      : { ...bot, ...common }
  })
  const [columns, json] = [new Columns(), new EventPageJson()]
  for (const page of [events, events.slice(0, 30), events.slice(1_000, 1_700)]) {
    const bytes = json.spell(columns.pageOf(page), page.length, filled)
    assert.deepEqual(JSON.parse(bytes.toString()), expected(page, page.length))
  }
})
