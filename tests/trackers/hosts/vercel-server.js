/** Runs the function in Vercel's own edge runtime. */
import { fileURLToPath } from 'node:url'
import { EdgeRuntime, runServer } from 'edge-runtime'
import { build } from 'esbuild'
import { atShutdown, options, sayListening } from './settings.js'

const { ignore: _, ...TRACKER } = options
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('vercel.js', import.meta.url))],
  bundle: true,
  write: false,
  define: { TRACKER: JSON.stringify(TRACKER) },
})
const runtime = new EdgeRuntime({ initialCode: outputFiles[0].text })
const server = await runServer({ runtime, host: '127.0.0.1', port: 0 })
sayListening(Number(new URL(server.url).port))
atShutdown(() => server.close())
