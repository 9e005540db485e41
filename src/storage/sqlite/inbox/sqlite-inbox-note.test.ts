/** Whatever a note says, and however short it is stored, it must be read as it was. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arrivals } from '../../../domain/event.ts'
import { readNote, spellNote } from './sqlite-inbox-note.ts'

const few = fc.nat(2)
const anyNote = fc.record(
  {
    arrival: fc.nat(arrivals.length - 1),
    now: fc.nat(),
    ...{ recorded: few, merged: few, late: few, duplicates: few, rejected: few },
    ignored: fc.dictionary(fc.string(), few, { maxKeys: 1, noNullPrototype: true }),
    reason: fc.constant(''),
  },
  { noNullPrototype: true },
)

test('any note is read as it was spelled', () => {
  fc.assert(
    fc.property(anyNote, few, (note, events) => {
      assert.deepEqual(readNote(spellNote(note, events), events, note.now), note)
    }),
  )
})

test('a note of events alone is short', () => {
  const note = {
    arrival: 3,
    now: 5,
    recorded: 2,
    merged: 0,
    late: 0,
    duplicates: 0,
    ignored: {},
    rejected: 0,
  }
  assert.equal(spellNote({ ...note, reason: '' }, 2), '3')
})
