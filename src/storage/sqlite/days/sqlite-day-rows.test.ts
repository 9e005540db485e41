/** Days must come back byte for byte, although SQLite takes them for text on the way. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { dayKey } from './sqlite-day.ts'
import { DayRows, readDays } from './sqlite-day-rows.ts'

const site = 7
const firstDay = 20_000 - (20_000 % 32)

/** Zeros, what begins and ends letters of several bytes, marks of byte order, and anything else. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300, size: 'max' }),
  fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xa0, 0xef, 0xbb, 0xf4, 0xfe, 0xff), {
    maxLength: 40,
  }),
  fc.constantFrom([0xef, 0xbb, 0xbf], [0xff, 0xfe], [0, 0, 0, 0]),
  // Lengths around those that take one byte more.
  fc.constantFrom(127, 128, 16_383, 16_384).map(length => new Uint8Array(length).fill(200)),
)
/** By their place in the span. */
const days = fc.uniqueArray(fc.tuple(fc.nat({ max: 31 }), bytes), {
  selector: ([place]) => place,
  maxLength: 32,
})

function openRows(t: TestContext): { rows: DayRows; database: DatabaseSync } {
  const database = new DatabaseSync(':memory:')
  t.after(() => database.close())
  database.exec('CREATE TABLE day (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT')
  return { database, rows: new DayRows(database) }
}

test('any bytes of any days come back as they are stored, and no neighbours', t => {
  const { database, rows } = openRows(t)
  const put = database.prepare('INSERT INTO day VALUES (?, ?)')
  fc.assert(
    fc.property(days, stored => {
      database.exec('DELETE FROM day')
      for (const outside of [firstDay - 1, firstDay + 32]) put.run(dayKey(site, outside), new Uint8Array(3))
      for (const [place, data] of stored) put.run(dayKey(site, firstDay + place), Uint8Array.from(data))
      const found: [number, Buffer][] = []
      const read = rows.between(dayKey(site, firstDay), dayKey(site, firstDay + 31))
      readDays(read, (place, from, end) => found.push([place, Buffer.from(read.subarray(from, end))]))
      const expected = stored
        .map(([place, data]) => [place, Buffer.from(data)])
        .sort(([a], [b]) => Number(a) - Number(b))
      assert.deepEqual(found, expected)
    }),
  )
})

test('a day can be larger than 2 MiB', t => {
  const { database, rows } = openRows(t)
  const key = dayKey(site, firstDay + 31)
  const data = new Uint8Array(2 ** 21 + 1).fill(7)
  database.prepare('INSERT INTO day VALUES (?, ?)').run(key, data)
  const read = rows.between(key, key)
  readDays(read, (place, from, end) => {
    assert.equal(place, 31)
    assert.ok(Buffer.from(data).equals(read.subarray(from, end)))
  })
  assert.equal(read.length, data.length + 5)
})
