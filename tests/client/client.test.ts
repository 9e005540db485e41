/** The dashboard talks to the server by types that were generated from the server's own document. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { clientFile, generateClient } from './generate.ts'

test('the client of the dashboard is what the routes describe; `npm run client` makes it again', async () => {
  assert.equal(readFileSync(clientFile, 'utf8'), await generateClient())
})
