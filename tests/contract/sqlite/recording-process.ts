/**
 * A process that records without pause until its standard input ends or somebody kills it. Each batch has a number, is on paths named after
 * it, and carries it as its idempotency key; the number is printed once the batch is acknowledged.
 *
 * Arguments: file, site, number of the first batch, batches in flight.
 */
import { writeSync } from 'node:fs'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { numberedBatch } from './numbered-batch.ts'

const [file, site, first, inFlight] = process.argv.slice(2) as [string, string, string, string]

const { events, close } = openSqlite({ file })
let next = Number(first)
let stopped = false
process.stdin.on('end', () => {
  stopped = true
})
process.stdin.resume()

async function recordOn(): Promise<void> {
  while (!stopped) {
    const number = next++
    const { outcome } = await events.append(numberedBatch(Number(site), number))
    if (outcome !== 'recorded') throw new Error(`Batch ${number}: ${outcome}`)
    // Synchronous: what the parent reads was acknowledged, and what was acknowledged the parent can read.
    writeSync(1, `${number}\n`)
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, recordOn))
await close()
