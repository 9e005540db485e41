/**
 * The yardstick of answers: bare node:http that does nothing but send recorded bytes. `node bench/bare-server.ts PORT FILE`
 * The file holds JSON: `headers`, `body` in base64, `compress` (a coding to compress it with each time, or null), and
 * `parses` (whether it reads and parses the body of the request first).
 */
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

export interface BareAnswer {
  readonly status: number
  /** Name, value, name, value. */
  readonly headers: readonly string[]
  readonly body: string
  readonly compress: Coding | null
  readonly parses: boolean
}

/** The cheap level of each coding. */
const codings = {
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 4 }),
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (body: Buffer) =>
    promisify(zstdCompress)(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
}
export type Coding = keyof typeof codings

if (import.meta.main) serve()

function serve(): void {
  const [port, file] = process.argv.slice(2)
  const answer = JSON.parse(readFileSync(file!, 'utf8')) as BareAnswer
  const body = Buffer.from(answer.body, 'base64')
  const send = (response: ServerResponse, bytes: Buffer): void => {
    response.writeHead(answer.status, [...answer.headers, 'Content-Length', String(bytes.length)])
    response.end(bytes)
  }
  const { compress, parses } = answer
  createServer((request, response) => {
    if (compress !== null) {
      codings[compress](body).then(bytes => send(response, bytes))
    } else if (parses && request.method === 'POST') {
      const pieces: Buffer[] = []
      request.on('data', piece => pieces.push(piece))
      request.on('end', () => {
        JSON.parse(Buffer.concat(pieces).toString())
        send(response, body)
      })
    } else {
      send(response, body)
    }
  }).listen(Number(port), '127.0.0.1')
  process.on('SIGTERM', () => process.exit(0))
}
