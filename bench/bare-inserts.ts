/**
 * The yardstick of recording: how many rows a second a loop of prepared inserts writes into one SQLite table with one
 * index, 1,000 a transaction, each on disk before the next begins. `node bench/bare-inserts.ts FILE SECONDS`
 */
import { DatabaseSync } from 'node:sqlite'
import { FixtureTraffic, fixtureSites } from './fixture.ts'

const [file, seconds] = process.argv.slice(2)
const batchSize = 1_000

const database = new DatabaseSync(file!)
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE event (
    id INTEGER PRIMARY KEY, site INTEGER NOT NULL, created_at INTEGER NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,
    company TEXT NOT NULL, path TEXT NOT NULL, country TEXT NOT NULL, value REAL
  );
  CREATE INDEX event_by_time ON event (site, created_at);
`)
const insert = database.prepare(
  'INSERT INTO event (site, created_at, type, name, company, path, country, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
)
const traffic = new FixtureTraffic()
const batches = Array.from({ length: 60 }, () =>
  Array.from({ length: batchSize }, () =>
    traffic.event(Math.floor(Date.now() - traffic.share() * 3_600_000)),
  ),
)

let written = 0
const startMs = performance.now()
const endMs = startMs + Number(seconds) * 1000
for (let batch = 0; performance.now() < endMs; batch++) {
  const site = (batch * 37) % fixtureSites
  database.exec('BEGIN')
  for (const event of batches[batch % batches.length]!) {
    const { createdAt, type, name, company, path, country, value } = event
    insert.run(site, createdAt, type, name, company, path, country, value)
  }
  database.exec('COMMIT')
  written += batchSize
}
console.log((written / (performance.now() - startMs)) * 1000)
database.close()
