/** Chooses the compression that a client accepts (RFC 9110, 12.5.3), and compresses at a cheap level. */
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'

/** Smaller answers cost more to compress than to send. */
export const compressFromBytes = 1_024

/** Of 3 kB of JSON, brotli at 1 and gzip at 1 in little memory take 16 µs and leave a quarter; zstd at 1 takes 28 µs and leaves a fifth. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzip = { level: 1, memLevel: 7 }
const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** In the order in which they are preferred among those that a client likes equally. */
const codings = {
  br: {
    whole: (bytes: Buffer) => brotliCompressSync(bytes, brotli),
    stream: () => createBrotliCompress(brotli),
  },
  zstd: { whole: (bytes: Buffer) => zstdCompressSync(bytes, zstd), stream: () => createZstdCompress(zstd) },
  gzip: { whole: (bytes: Buffer) => gzipSync(bytes, gzip), stream: () => createGzip(gzip) },
} satisfies Record<string, { whole: (bytes: Buffer) => Buffer; stream: () => NodeJS.ReadWriteStream }>

export type Coding = keyof typeof codings

export const compress = (coding: Coding, bytes: Buffer): Buffer => codings[coding].whole(bytes)

export const compressingStream = (
  coding: Coding,
): NodeJS.ReadWriteStream & { destroy(error?: Error): void } => codings[coding].stream()

const names = Object.keys(codings) as Coding[]

/** The coding that the client likes best of those that we have; null to send the answer as it is. */
export function chooseCoding(accepted: string | undefined): Coding | null {
  if (accepted === undefined || accepted === '') return null
  const weights = new Map(accepted.toLowerCase().split(',').map(weightOf))
  const weight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  // Without being named, the answer as it is may be sent, but nobody asked for it.
  const plain = weights.get('identity') ?? 0
  let best: Coding | null = null
  for (const name of names) {
    if (weight(name) > (best === null ? 0 : weight(best))) best = name
  }
  return best !== null && weight(best) >= plain ? best : null
}

/** `gzip;q=0.5` as a name and a weight. What cannot be read weighs nothing. */
function weightOf(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map(text => text.trim())
  const quality = parameters.find(parameter => parameter.startsWith('q='))
  if (quality === undefined) return [name, 1]
  return [name, /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality.slice(2)) : 0]
}
