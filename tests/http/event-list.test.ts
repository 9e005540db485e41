/** GET …/events: the three kinds of event, order, filters, limits, cursors, and paging while events arrive. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { encodeCursor } from '../../src/domain/cursor.ts'
import { lastDay } from '../../src/domain/date-range.ts'
import type { ApiEvent } from '../../src/reports/api-event.ts'
import { addAccount } from '../support/accounts.ts'
import { errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { type Query, SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const newSite = async (): Promise<SiteClient> => new SiteClient(server, await addAccount(server.data))
const june = { start: '2026-06-01', end: '2026-06-30' }
const visit = (page_path: string, created_at = '2026-06-10T10:00:00Z') => ({
  ...{ type: 'referral', source: 'ChatGPT', page_path, created_at },
})
const paths = (events: readonly ApiEvent[]): string[] => events.map(event => event.page_path)

describe('an event', () => {
  test('of each type has exactly the fields of the specification', async () => {
    const site = await newSite()
    await site.record([
      {
        type: 'bot',
        bot_name: 'GPTBot',
        bot_company: 'OpenAI',
        page_path: '/a',
        country: 'de',
        created_at: '2026-06-10T10:00:04Z',
      },
      {
        type: 'referral',
        source: 'ChatGPT',
        page_path: '/b?utm_source=chatgpt.com#top',
        created_at: '2026-06-10T10:00:03.5+02:00',
      },
      {
        type: 'conversion',
        event_name: 'buy',
        event_value: 49.9,
        page_path: '/c',
        country: 'US',
        created_at: '2026-06-10T07:00:02.123456Z',
      },
      { type: 'conversion', event_name: 'signup', page_path: '/d', created_at: '2026-06-10T07:00:01Z' },
    ])
    const { events, next_cursor } = await site.events(june)
    assert.equal(next_cursor, null)
    for (const { id } of events) assert.ok(Number.isSafeInteger(id) && id > 0)
    const withoutId = events.map(({ id, ...rest }) => rest)
    assert.deepEqual(withoutId, [
      {
        type: 'bot',
        bot_name: 'GPTBot',
        bot_company: 'OpenAI',
        page_path: '/a',
        country: 'DE',
        created_at: '2026-06-10T10:00:04.000Z',
      },
      {
        type: 'referral',
        source: 'ChatGPT',
        page_path: '/b',
        country: 'ZZ',
        created_at: '2026-06-10T08:00:03.500Z',
      },
      {
        type: 'conversion',
        event_name: 'buy',
        event_value: 49.9,
        page_path: '/c',
        country: 'US',
        created_at: '2026-06-10T07:00:02.123Z',
      },
      {
        type: 'conversion',
        event_name: 'signup',
        event_value: null,
        page_path: '/d',
        country: 'ZZ',
        created_at: '2026-06-10T07:00:01.000Z',
      },
    ])
  })

  test('without a time of its own has that of its recording', async () => {
    const site = await newSite()
    const before = Date.now()
    await site.record([{ type: 'referral', source: 'ChatGPT', page_path: '/now' }])
    const [event] = (await site.events()).events
    const time = Date.parse(event!.created_at)
    assert.ok(time >= before && time <= Date.now())
    assert.match(event!.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('of value 0 has 0, not null', async () => {
    const site = await newSite()
    const conversion = {
      type: 'conversion',
      event_name: 'free',
      page_path: '/',
      created_at: '2026-06-10T10:00:00Z',
    }
    await site.record([0, -3.5, 0.000001].map(event_value => ({ ...conversion, event_value })))
    const { events } = await site.events(june)
    assert.deepEqual(
      events.map(event => 'event_value' in event && event.event_value).sort(),
      [-3.5, 0, 0.000001],
    )
  })
})

describe('the order', () => {
  test('is created_at descending, then id descending, also for events that were recorded late', async () => {
    const site = await newSite()
    await site.record([visit('/2', '2026-06-10T10:00:01Z'), visit('/1', '2026-06-10T10:00:00Z')])
    await site.record([visit('/3', '2026-06-10T10:00:01Z'), visit('/0', '2026-06-09T10:00:00Z')])
    const { events } = await site.events(june)
    assert.deepEqual(paths(events), ['/3', '/2', '/1', '/0'])
    assert.ok(events[0]!.id > events[1]!.id)
  })
})

describe('type', () => {
  test('keeps events of that one type; without it all come', async () => {
    const site = await newSite()
    const created_at = '2026-06-10T10:00:00Z'
    await site.record([
      { type: 'bot', bot_name: 'B', bot_company: 'C', page_path: '/bot', created_at },
      { type: 'conversion', event_name: 'E', page_path: '/conversion', created_at },
      visit('/referral'),
    ])
    for (const type of ['bot', 'referral', 'conversion'])
      assert.deepEqual(paths((await site.events({ ...june, type })).events), [`/${type}`])
    assert.equal((await site.events(june)).events.length, 3)
  })
})

describe('400 INVALID_PARAMETER', () => {
  const wrong = {
    type: ['visit', '', 'Bot', 'bot,referral', 'bot&type=bot', 'bot&type=referral'],
    limit: [
      '0',
      '1001',
      '-1',
      '',
      '1.5',
      '1e2',
      '%2B5',
      'all',
      '0x10',
      '10&limit=10',
      '99999999999999999999',
    ],
    cursor: ['', 'abc', '0', 'null', 'AAAAAAAAAAAAAAAAAAAAAAAA', '%00'.repeat(24), 'x'.repeat(2_000)],
  }
  for (const [name, values] of Object.entries(wrong)) {
    test(`answers every ${name} that is not accepted, and names it`, async () => {
      const site = await newSite()
      for (const value of values) {
        const answer = await site.ask(`events?${name}=${value}`)
        assert.deepEqual(
          [answer.status, errorOf(answer).code],
          [400, 'INVALID_PARAMETER'],
          `${name}=${value}`,
        )
        assert.ok(errorOf(answer).error.startsWith(name))
      }
    })
  }

  test('answers a cursor that this service did not make, however like its own it looks', async () => {
    const site = await newSite()
    await site.record([visit('/1'), visit('/2')])
    const { next_cursor } = await site.events({ ...june, limit: 1 })
    assert.match(next_cursor!, /^[\w-]+$/, 'it goes into a URL as it is')
    for (let at = 0; at < next_cursor!.length; at++) {
      const changed =
        next_cursor!.slice(0, at) + (next_cursor![at] === 'A' ? 'B' : 'A') + next_cursor!.slice(at + 1)
      assert.equal((await site.ask(`events?cursor=${changed}`)).status, 400, changed)
    }
    assert.equal((await site.ask(`events?cursor=${next_cursor}&cursor=${next_cursor}`)).status, 400)
    assert.equal((await site.ask(`events?cursor=${next_cursor}A`)).status, 400)
  })
})

describe('limit', () => {
  test('is 100 by default, at least 1 and at most 1000', async () => {
    const site = await newSite()
    await site.record(Array.from({ length: 1_100 }, (_, i) => visit(`/${i}`)))
    const lengthOf = async (query: object) => (await site.events({ ...june, ...query })).events.length
    assert.equal(await lengthOf({}), 100)
    assert.equal(await lengthOf({ limit: 1 }), 1)
    assert.equal(await lengthOf({ limit: 1_000 }), 1_000)
  })
})

describe('next_cursor', () => {
  test('is null exactly when nothing follows, also when a page ends with the last event', async () => {
    const site = await newSite()
    assert.deepEqual(await site.events(june), { events: [], next_cursor: null })
    await site.record(Array.from({ length: 6 }, (_, i) => visit(`/${i}`)))
    for (let limit = 1; limit <= 7; limit++) {
      let page = await site.events({ ...june, limit })
      let seen = page.events.length
      for (; page.next_cursor !== null; seen += page.events.length) {
        page = await site.events({ ...june, limit, cursor: page.next_cursor })
        assert.ok(page.events.length > 0, 'a cursor always leads to something')
      }
      assert.equal(seen, 6)
    }
  })

  test('carries its filters: alone it goes on with them, and beside it they must be the same', async () => {
    const site = await newSite()
    const created_at = '2026-06-10T10:00:00Z'
    await site.record([
      ...['/1', '/2'].map(page_path => ({
        type: 'bot',
        bot_name: 'B',
        bot_company: 'C',
        page_path,
        created_at,
      })),
      visit('/3'),
      visit('/4'),
      visit('/5'),
    ])
    const { events, next_cursor } = await site.events({ ...june, type: 'referral', limit: 2 })
    assert.deepEqual(paths(events), ['/5', '/4'])
    const cursor = next_cursor!
    const equal: Query[] = [{}, { type: 'referral' }, june, { end: june.end }, { ...june, type: 'referral' }]
    for (const same of equal) {
      const rest = await site.events({ ...same, cursor })
      assert.deepEqual([paths(rest.events), rest.next_cursor], [['/3'], null], JSON.stringify(same))
    }
    for (const [name, value] of [
      ['type', 'bot'],
      ['start', '2026-06-02'],
      ['end', '2026-06-29'],
    ] as const) {
      const query = new URLSearchParams({ ...june, type: 'referral', [name]: value, cursor })
      const answer = await site.ask(`events?${query}`)
      assert.equal(errorOf(answer).code, 'INVALID_PARAMETER')
      assert.match(errorOf(answer).error, new RegExp(`^${name} is "${value}"`))
    }
    // Of a page of all types, no type is a filter too.
    const all = await site.events({ ...june, limit: 4 })
    const other = await site.ask(`events?type=bot&cursor=${all.next_cursor}`)
    assert.equal(errorOf(other).code, 'INVALID_PARAMETER')
    assert.deepEqual(paths((await site.events({ cursor: all.next_cursor! })).events), ['/1'])
  })

  test('of one site shows nothing of it on another: it only says where to go on', async () => {
    const [one, other] = [await newSite(), await newSite()]
    await one.record([visit('/one-1'), visit('/one-2')])
    await other.record([visit('/other-1'), visit('/other-2', '2026-06-12T00:00:00Z')])
    const { next_cursor } = await one.events({ ...june, limit: 1 })
    const { events } = await other.events({ ...june, cursor: next_cursor! })
    assert.deepEqual(
      paths(events).filter(path => path.startsWith('/one')),
      [],
    )
  })

  test('of any position that an event can have leads to what is older', async () => {
    const site = await newSite()
    await site.record([visit('/1', '1970-01-01T00:00:00Z')])
    const position = { createdAt: Date.UTC(9999, 11, 31), id: Number.MAX_SAFE_INTEGER }
    const cursor = encodeCursor({ position, range: { start: 0, end: lastDay }, type: null })
    assert.deepEqual(paths((await site.events({ start: '1970-01-01', cursor })).events), ['/1'])
  })
})

describe('ids', () => {
  test('are unique over all sites', async () => {
    const sites = [await newSite(), await newSite()]
    for (const site of sites) await site.record(Array.from({ length: 50 }, () => visit('/')))
    const lists = await Promise.all(sites.map(site => site.allEvents({ ...june, limit: 1_000 })))
    const ids = lists.flat().map(({ id }) => id)
    assert.equal(new Set(ids).size, 100)
  })
})

describe('paging while events arrive', () => {
  const anyTime = fc
    .oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3_000 }))
    .map(seconds => new Date(Date.parse('2026-06-10T10:00:00Z') + seconds * 1_000).toISOString())
  const anyBatch = fc.array(anyTime, { minLength: 1, maxLength: 12 })

  test('misses and repeats none of the events that were there at its start, whatever is recorded between the pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTime, { minLength: 1, maxLength: 60 }),
        fc.array(anyBatch, { maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (atFirst, arriving, limit) => {
          const site = await newSite()
          await site.record(atFirst.map((time, i) => visit(`/first/${i}`, time)))
          const batches = [...arriving]
          const seen = await site.allEvents({ ...june, limit }, async () => {
            const batch = batches.shift()
            if (batch) await site.record(batch.map((time, i) => visit(`/later/${batches.length}/${i}`, time)))
          })
          const ids = seen.map(({ id }) => id)
          assert.equal(new Set(ids).size, ids.length, 'none repeated')
          const first = paths(seen).filter(path => path.startsWith('/first/'))
          assert.deepEqual(first.sort(), atFirst.map((_, i) => `/first/${i}`).sort(), 'none missed')
          const position = ({ created_at, id }: ApiEvent) => created_at + String(id).padStart(16, '0')
          assert.deepEqual(seen.map(position), seen.map(position).sort().reverse(), 'always in order')
        },
      ),
      { numRuns: 20 },
    )
  })
})

describe('answers that wait for slow readers', () => {
  test('stay what they were while others are put together', async () => {
    const [slow, busy] = [await newSite(), await newSite()]
    const record = (site: SiteClient, name: string) =>
      site.record(Array.from({ length: 100 }, (_, i) => visit(`/${name}/${i}/${'x'.repeat(100)}`)))
    await record(slow, 'slow')
    await record(busy, 'busy')
    const { text } = await slow.ask(`events?start=${june.start}&end=${june.end}`)
    assert.ok(text.length > 20_000)
    const pages = 600
    const request = [
      `GET ${new URL(slow.url).pathname}/events?start=${june.start}&end=${june.end} HTTP/1.1`,
      `Host: localhost\r\nAuthorization: Bearer ${slow.key}\r\n`,
    ].join('\r\n')
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8').pause()
    socket.write(`${request}\r\n`.repeat(pages - 1))
    socket.write(`${request}Connection: close\r\n\r\n`)
    // All of them are more than the system holds for a reader: the rest waits in the server.
    for (let i = 0; i < 300; i++) await busy.events(june)
    let received = ''
    for await (const chunk of socket) received += chunk
    assert.equal(received.split(text).length - 1, pages)
  })
})
