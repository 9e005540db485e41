/** Runs a worker in workerd, the runtime that Cloudflare runs it in, bundled as wrangler bundles it. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { atShutdown, options, sayListening } from './settings.js'

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL(process.env.WORKER ?? 'cloudflare.js', import.meta.url))],
  bundle: true,
  format: 'esm',
  write: false,
})
const { ignore: _, ...TRACKER } = options
const miniflare = new Miniflare({
  modules: true,
  script: outputFiles[0].text,
  compatibilityDate: '2026-03-01',
  bindings: { TRACKER: JSON.parse(JSON.stringify(TRACKER)) },
  host: '127.0.0.1',
  port: 0,
  log: new Log(LogLevel.NONE),
})
sayListening(Number((await miniflare.ready).port))
atShutdown(() => miniflare.dispose())
