/** A single event must lie in the inbox as it would among others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeChunk } from '../chunks/sqlite-chunk.ts'
import { allocateColumns } from '../chunks/sqlite-event-columns.ts'
import { type ChunkEvent, encodeOne } from './sqlite-single-chunk.ts'

const number = fc.integer({ min: 0, max: 2 ** 53 - 1 })
const anyEvent: fc.Arbitrary<ChunkEvent> = fc.record({
  ...{ time: number, id: number, origin: number, path: number, country: fc.nat(0xffff) },
  sighting: fc.oneof(fc.constant(0), number),
  value: fc.option(fc.double({ noNaN: true })),
})

test('any event is encoded as a chunk of one', () => {
  fc.assert(
    fc.property(anyEvent, fc.boolean(), (event, hasValue) => {
      const columns = allocateColumns(1, hasValue)
      for (const name of ['time', 'id', 'origin', 'path', 'country', 'sighting'] as const)
        columns[name][0] = event[name]
      if (columns.value) columns.value[0] = event.value ?? Number.NaN
      assert.deepEqual(Buffer.from(encodeOne(event, hasValue)), Buffer.from(encodeChunk(columns, 0, 1)))
    }),
  )
})
