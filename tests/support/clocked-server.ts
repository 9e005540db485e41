/** The server inside the test's own process, on a real socket, with a clock that the test sets: for windows, days and months. */

import { openServer } from '../../src/server/compose.ts'
import { readConfig } from '../../src/server/config.ts'
import type { Settings } from './program.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface ClockedServer {
  readonly url: string
  readonly data: string
  /** Milliseconds since 1970; to be set by the test. */
  now: number
  stop(): Promise<void>
}

export async function startClockedServer({
  now,
  settings = {},
}: {
  now: string
  settings?: Settings
}): Promise<ClockedServer> {
  const data = temporaryFolder()
  const config = readConfig({
    PUGMARK_DATA: data,
    PUGMARK_PORT: '0',
    PUGMARK_LOG_LEVEL: 'silent',
    ...settings,
  })
  const server = { data, now: Date.parse(now), url: '', stop: () => runtime.close() }
  const runtime = await openServer(config, 'test', () => server.now)
  server.url = await runtime.listen()
  return server
}
