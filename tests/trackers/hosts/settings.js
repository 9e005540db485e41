/** What every host program of these tests is told by its environment, and how it says that it listens. */
const env = globalThis.Deno?.env.toObject() ?? process.env

export const options = {
  host: env.COLLECTOR,
  siteId: env.SITE_ID ?? 'site_test',
  key: env.WRITE_KEY ?? 'pug_test',
  flushIntervalMs: Number(env.FLUSH_INTERVAL_MS ?? 50),
  trustProxy: env.TRUST_PROXY === undefined ? undefined : Number(env.TRUST_PROXY) || env.TRUST_PROXY,
  ignore: path => path.startsWith('/private'),
}

export const sayListening = port => console.log(JSON.stringify({ port }))

/** Runs at SIGTERM, then lets the process end by itself: what keeps it alive is a fault. */
export const atShutdown = close => process.once('SIGTERM', close)
