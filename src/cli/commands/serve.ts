/** footfall serve */
import { once } from 'node:events'
import { Command } from 'commander'
import { settings } from '../../config.ts'
import { type CliContext, configOf, print, type SharedOptions, shared } from '../cli-context.ts'

export function serveCommand(context: CliContext): Command {
  return shared(new Command('serve'), 'footfall serve --port 8787 --data ./data')
    .description('Start the server.')
    .option('--host <address>', 'address to listen on (default: FOOTFALL_HOST, or 127.0.0.1)')
    .option('--port <port>', 'port to listen on, 0 picks one (default: FOOTFALL_PORT, or 8787)')
    .addHelpText('after', `\nSettings, from the environment:\n${describeSettings()}`)
    .action(async (options: SharedOptions & { host?: string; port?: string }) => {
      const config = configOf(context, options, { FOOTFALL_HOST: options.host, FOOTFALL_PORT: options.port })
      const server = await context.openServer(config)
      try {
        announce(context, options, await server.listen())
        if (!context.stop.aborted) await once(context.stop, 'abort')
      } finally {
        await server.close()
      }
    })
}

function announce(context: CliContext, options: SharedOptions, url: string): void {
  const text = `listening on ${url}

Next: open ${url}/ in a browser, add your site, and drop an access log on the page.
      A site with made-up traffic to look at    npx footfall demo
      The same from a terminal                  npx footfall --help
      API reference                             ${url}/docs`
  print(context, options, { url }, text)
}

function describeSettings(): string {
  const width = Math.max(...settings.map(({ name }) => name.length))
  return settings
    .map(setting => `  ${setting.name.padEnd(width)}  ${setting.what} Default: ${setting.default || 'none'}`)
    .join('\n')
}
