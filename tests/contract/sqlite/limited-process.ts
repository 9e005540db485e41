/** A process that records until its files have reached their limit, lifts the limit, and records again. Argument: file. */
import { execFileSync } from 'node:child_process'
import { AppError } from '../../../src/domain/errors.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { batchOf, manyEvents } from '../sample-events.ts'

const { events, close } = openSqlite({ file: process.argv[2]! })
const record = async (number: number): Promise<string> => {
  try {
    return (await events.append(batchOf(1, manyEvents(500, { name: `name ${number}` })))).outcome
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
}

let recorded = 0
let refused = await record(0)
while (refused === 'recorded' && recorded < 1000) refused = await record(++recorded)
execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited'])
const afterwards = await record(recorded)
await close()
console.log(JSON.stringify({ recorded, refused, afterwards }))
