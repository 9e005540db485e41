/** Where the server of a data folder listens, as another command finds it out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findServer, reachable } from '../../src/cli/server-address.ts'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a server is found by its data folder, on whatever port, while it runs', async () => {
  assert.equal(await findServer(temporaryFolder()), null)
  const server = await startServer({ settings: { PUGMARK_HOST: '0.0.0.0' } })
  assert.equal(await findServer(server.data), `http://127.0.0.1:${server.port}`)
  await server.stop()
  assert.equal(await findServer(server.data), null)
})

test('a server that crashed is not found, though its file is still there', async () => {
  const server = await startServer()
  await server.kill()
  assert.equal(await findServer(server.data), null)
})

test('of two servers on one folder the one that started last is found, though the first stops', async () => {
  const first = await startServer()
  const second = await startServer({ data: first.data })
  await first.stop()
  assert.equal(await findServer(first.data), second.url)
  await second.stop()
})

test('a server on all addresses is reached by the loopback', () => {
  assert.deepEqual(['http://0.0.0.0:80', 'http://[::]:8787', 'http://192.0.2.7:8787', ''].map(reachable), [
    'http://127.0.0.1',
    'http://[::1]:8787',
    'http://192.0.2.7:8787',
    null,
  ])
})
