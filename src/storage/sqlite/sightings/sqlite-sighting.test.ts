/** A sighting holds a fingerprint and the ways in that reported it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrivals } from '../../../domain/event.ts'
import { arrivalsOf, fingerprintOf, isOneWay, sightingOf, wayOf, waysOf } from './sqlite-sighting.ts'

test('a sighting gives back its fingerprint and every set of ways in', () => {
  // All bits must fit 32 together with the fingerprint, which is how events travel and lie in chunks.
  assert.ok(arrivals.length <= 16)
  const all = arrivals.reduce((ways, _, i) => ways + wayOf(i), 0)
  for (const ways of [...arrivals.map((_, i) => wayOf(i)), all, 0b1011]) {
    const sighting = sightingOf(65_535, ways)
    assert.deepEqual([fingerprintOf(sighting), waysOf(sighting)], [65_535, ways])
    assert.equal(isOneWay(ways), arrivalsOf(ways).length === 1)
  }
  assert.deepEqual(arrivalsOf(0b101), ['events', 'import'])
})
