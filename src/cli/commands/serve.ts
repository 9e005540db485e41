/** pugmark serve */
import { once } from 'node:events'
import { Command } from 'commander'
import { type Config, settings } from '../../server/config.ts'
import {
  asSetting,
  type CliContext,
  configOf,
  type OpenServer,
  print,
  type SharedOptions,
  shared,
} from '../cli-context.ts'
import { releaseMemorySoon } from '../release-memory.ts'
import { publishAddress, withdrawAddress } from '../server-address.ts'

export function serveCommand(context: CliContext): Command {
  return shared(new Command('serve'), 'pugmark serve --port 8787 --data ./data')
    .description('Start the server.')
    .option('--host <address>', 'address to listen on (default: PUGMARK_HOST, or 127.0.0.1)')
    .option(
      '--port <port>',
      'port to listen on; 0 picks a free one (default: PUGMARK_PORT, or 8787)',
      asSetting('PUGMARK_PORT'),
    )
    .addHelpText('after', `\nSettings, from the environment:\n${describeSettings()}`)
    .action(async (options: SharedOptions & { host?: string; port?: string }) => {
      const config = configOf(context, options, { PUGMARK_HOST: options.host, PUGMARK_PORT: options.port })
      const server = await context.openServer(config)
      try {
        const url = await listen(server, config)
        publishAddress(config.data, { url, pid: process.pid })
        announce(context, options, url)
        releaseMemorySoon()
        if (!context.stop.aborted) await once(context.stop, 'abort')
      } finally {
        withdrawAddress(config.data, process.pid)
        await server.close()
      }
    })
}

async function listen(server: OpenServer, { host, port }: Config): Promise<string> {
  try {
    return await server.listen()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(`Cannot listen on port ${port} of ${host}: ${reasons[code] ?? message}`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use, perhaps by another Pugmark. Choose another port with --port.',
  EACCES: 'this user may not use it. Choose a port from 1024 up with --port.',
  EADDRNOTAVAIL: 'this machine does not have the address. Choose another one with --host.',
  ENOTFOUND: 'the address does not exist. Choose another one with --host.',
}

function announce(context: CliContext, options: SharedOptions, url: string): void {
  const text = `listening on ${url}

Next: open ${url}/ in a browser, add your site, and drop an access log on the page.
      To look at a site with made-up traffic    npx pugmark demo
      To do it all from a terminal              npx pugmark --help
      To read the API reference                 ${url}/docs`
  print(context, options, { url }, text)
}

function describeSettings(): string {
  const width = Math.max(...settings.map(({ name }) => name.length))
  return settings
    .map(setting => `  ${setting.name.padEnd(width)}  ${setting.what} Default: ${setting.default || 'none'}`)
    .join('\n')
}
