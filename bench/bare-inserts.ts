/**
 * The yardstick of recording: a loop of prepared inserts into one SQLite table with one index, 1,000 a transaction, each on disk
 * before the next begins. Prints the rows written in a second. `node bench/bare-inserts.ts FILE SECONDS`
 */
import { DatabaseSync } from 'node:sqlite'
import { createChance } from './chance.ts'
import { randomEvent } from './sent.ts'

const [file, seconds] = process.argv.slice(2)
const batchSize = 1_000
const sites = 1_000

const database = new DatabaseSync(file!)
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table event(
    id integer primary key, site integer not null, created_at integer not null, type text not null, name text not null,
    company text not null, path text not null, country text not null, value real
  );
  create index event_by_time on event(site, created_at);
`)
const insert = database.prepare(
  'insert into event(site, created_at, type, name, company, path, country, value) values (?, ?, ?, ?, ?, ?, ?, ?)',
)
const chance = createChance(5)
const batches = Array.from({ length: 60 }, () =>
  Array.from({ length: batchSize }, () => {
    const event = randomEvent(chance, 2_000, '') as Record<string, string | number | null | undefined>
    const name = event.event_name ?? event.bot_name ?? event.source ?? ''
    const { type, page_path: path, bot_company: company = '', country, event_value: value = null } = event
    return [type!, name, company, path!, country!, value] as const
  }),
)

let written = 0
const startMs = performance.now()
const endMs = startMs + Number(seconds) * 1000
for (let batch = 0; performance.now() < endMs; batch++) {
  const site = (batch * 37) % sites
  database.exec('begin')
  for (const [type, name, company, path, country, value] of batches[batch % batches.length]!)
    insert.run(site, Date.now(), type, name, company, path, country, value)
  database.exec('commit')
  written += batchSize
}
console.log((written / (performance.now() - startMs)) * 1000)
database.close()
