/** The yardstick: bare node:http that sends one recorded answer, the same headers and bytes, to every request. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [answerFile, parses] = process.argv.slice(2)
const { status, headers, body } = JSON.parse(readFileSync(answerFile!, 'utf8')) as {
  status: number
  headers: Record<string, string>
  body: string
}

const server = createServer((request, response) => {
  if (parses !== 'true') {
    response.writeHead(status, headers)
    response.end(body)
    return
  }
  const parts: Buffer[] = []
  request.on('data', part => parts.push(part))
  request.on('end', () => {
    JSON.parse(Buffer.concat(parts).toString())
    response.writeHead(status, headers)
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
