/** An index of a name must mean the same for good, in whatever steps the names were read. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { SiteNames, SubjectReader } from './sqlite-site-names.ts'

const subject = fc.record({
  site: fc.constantFrom(1, 2),
  type: fc.nat({ max: 2 }),
  name: fc.constantFrom('a', 'b', 'c', '0', ''),
  company: fc.constantFrom('', 'x', 'y'),
  /** Whether all that is known to one of the readers is looked at now. */
  isRead: fc.boolean(),
})

test('who reads names one by one and who reads all at once agree on them', t => {
  const database = new DatabaseSync(':memory:')
  t.after(() => database.close())
  database.exec(
    'CREATE TABLE subject (id INTEGER PRIMARY KEY AUTOINCREMENT, site INTEGER, type INTEGER, name TEXT, company TEXT)',
  )
  const put = database.prepare('INSERT INTO subject (site, type, name, company) VALUES (?, ?, ?, ?)')
  const reader = new SubjectReader(database)
  fc.assert(
    fc.property(fc.array(subject, { minLength: 1, maxLength: 40 }), subjects => {
      database.exec('DELETE FROM subject')
      const [often, once] = [new SiteNames(reader, 1), new SiteNames(reader, 1)]
      const ids: number[] = []
      for (const { site, type, name, company, isRead } of subjects) {
        const id = Number(put.run(site, type, name, company).lastInsertRowid)
        if (site !== 1) continue
        ids.push(id)
        if (isRead) assert.equal(often.placeOf(id, 0), ids.length - 1)
      }
      for (const [place, id] of ids.entries()) {
        for (const expected of [0, place, ids.length]) {
          assert.equal(often.placeOf(id, expected), place)
          assert.equal(once.placeOf(id, expected), place)
        }
      }
      assert.deepEqual(often.indexes, once.indexes)
      assert.deepEqual(often.ranking, once.ranking)
      assert.equal(often.bytes, once.bytes)
      const late = new SiteNames(reader, 1)
      if (ids.length > 0) assert.equal(late.include(ids.length, ids.at(-1)!), false)
      late.readUpTo(ids.length)
      for (const [place, id] of ids.entries()) {
        assert.equal(late.include(place + 1, id), true)
        assert.equal(late.include(place + 1, id + 1), false)
      }
      assert.deepEqual(late.ranking, once.ranking)
      const own = subjects.filter(({ site }) => site === 1)
      const texts = own.map(({ type, name }) => `${type}${name}`)
      assert.equal(often.ranking.names.length, new Set(texts).size)
      for (const [place, { name }] of own.entries()) {
        const shown = often.ranking.names[often.indexes[place]!]!
        assert.equal(shown.name, name)
        const last = own[texts.lastIndexOf(texts[place]!)]!
        assert.equal(shown.company, last.company)
      }
    }),
  )
  assert.throws(() => new SiteNames(reader, 1).placeOf(10 ** 9, 0), /has no name/)
})
