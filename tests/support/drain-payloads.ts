/** One request in the words of each service: payloads of the shape that its documentation shows. */
import { createHmac } from 'node:crypto'
import type { DrainKind } from '../../src/domain/event.ts'

export interface Request {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly userAgent: string
  readonly referrer: string
  readonly address: string
  /** Milliseconds, of a whole second: not all logs have more. */
  readonly time: number
  /** Names the request. */
  readonly id: string
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const iso = (time: number): string => new Date(time).toISOString()

/** As nginx and Apache write it. */
export function combinedLine({ method, path, status, userAgent, referrer, address, time }: Request): string {
  const [year, month, day] = iso(time).slice(0, 10).split('-')
  const clf = `${day}/${months[Number(month) - 1]}/${year}:${iso(time).slice(11, 19)} +0000`
  return `${address} - - [${clf}] "${method} ${path} HTTP/1.1" ${status} 2326 "${referrer || '-'}" "${userAgent}"`
}

/** An entry of Vercel for one line that the function wrote; the same request can have several. */
export const vercelEntry = (request: Request, line = 0): object => ({
  id: `${request.time}${request.id}${line}`,
  deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
  source: 'lambda',
  host: 'my-app-abc123.vercel.app',
  timestamp: request.time + 111,
  projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
  level: 'info',
  message: 'API request processed',
  entrypoint: 'api/index.js',
  requestId: request.id,
  statusCode: request.status,
  path: '/api/[route]',
  executionRegion: 'sfo1',
  environment: 'production',
  proxy: {
    timestamp: request.time,
    method: request.method,
    host: 'example.com',
    path: request.path,
    userAgent: [request.userAgent],
    ...(request.referrer && { referer: request.referrer }),
    region: 'sfo1',
    statusCode: request.status,
    clientIp: request.address,
    scheme: 'https',
    vercelCache: 'MISS',
  },
})

export const vercelBuildEntry = {
  id: '1573817187330377061717300000',
  deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
  source: 'build',
  host: 'my-app-abc123.vercel.app',
  timestamp: 1573817187330,
  projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
  level: 'info',
  message: 'Build completed successfully',
  buildId: 'bld_cotnkcr76',
  type: 'stdout',
  projectName: 'my-app',
}

export const vercelSignature = (body: string | Buffer, secret: string): string =>
  createHmac('sha1', secret).update(body).digest('hex')

const cloudflareEntry = (request: Request): object => ({
  ClientIP: request.address,
  ClientRequestHost: 'example.com',
  ClientRequestMethod: request.method,
  ClientRequestURI: request.path,
  ClientRequestReferer: request.referrer,
  ClientRequestUserAgent: request.userAgent,
  EdgeEndTimestamp: iso(request.time + 5),
  EdgeResponseBytes: 1935,
  EdgeResponseStatus: request.status,
  EdgeStartTimestamp: iso(request.time),
  RayID: request.id,
})

const netlifyEntry = (request: Request): object => ({
  account_id: '5f0c',
  client_ip: request.address,
  content_type: 'text/html; charset=UTF-8',
  deploy_id: '6412',
  duration: 12,
  log_type: 'traffic',
  method: request.method,
  referrer: request.referrer,
  request_id: request.id,
  request_size: 512,
  response_size: 2326,
  site_id: '9d3b',
  status_code: request.status,
  timestamp: iso(request.time),
  url: `https://example.com${request.path}`,
  user_agent: request.userAgent,
})

const percent = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll(' ', '%20').replaceAll('"', '%22')

function cloudfrontEntry(request: Request): object {
  const [path, query = '-'] = request.path.split('?')
  return {
    date: iso(request.time).slice(0, 10),
    time: iso(request.time).slice(11, 19),
    'x-edge-location': 'FRA56-P4',
    'sc-bytes': '392',
    'c-ip': request.address,
    'cs-method': request.method,
    'cs(Host)': 'd111111abcdef8.cloudfront.net',
    'cs-uri-stem': path,
    'sc-status': String(request.status),
    'cs(Referer)': request.referrer || '-',
    'cs(User-Agent)': percent(request.userAgent),
    'cs-uri-query': query,
    'x-edge-request-id': request.id,
  }
}

/** Records of Data Firehose, each of some entries a line. */
export const firehoseBody = (requestId: string, records: readonly string[]): string =>
  JSON.stringify({
    requestId,
    timestamp: 1578090901599,
    records: records.map(record => ({ data: Buffer.from(record).toString('base64') })),
  })

/** What Fastly writes for the log format of docs/drains/fastly.md. */
const fastlyEntry = (request: Request): object => ({
  timestamp: iso(request.time).replace('.000Z', '+0000'),
  client_ip: request.address,
  request_method: request.method,
  url: request.path,
  response_status: request.status,
  request_referer: request.referrer,
  request_user_agent: request.userAgent,
})

const lines = (entries: readonly unknown[]): string => entries.map(entry => JSON.stringify(entry)).join('\n')

/** The entries of a delivery, one a line as a file would have them, by kind. */
export const entryLines: Readonly<Record<DrainKind, (request: Request) => string>> = {
  vercel: request => JSON.stringify(vercelEntry(request)),
  cloudflare: request => JSON.stringify(cloudflareEntry(request)),
  netlify: request => JSON.stringify(netlifyEntry(request)),
  cloudfront: request => JSON.stringify(cloudfrontEntry(request)),
  fastly: request => JSON.stringify(fastlyEntry(request)),
  vector: combinedLine,
  fluentbit: combinedLine,
  syslog: combinedLine,
}

/** A delivery as the service sends it. */
export const bodies: Readonly<Record<DrainKind, (requests: readonly Request[]) => string>> = {
  vercel: requests => JSON.stringify(requests.map(request => vercelEntry(request))),
  cloudflare: requests => lines(requests.map(cloudflareEntry)),
  netlify: requests => JSON.stringify(requests.map(netlifyEntry)),
  cloudfront: requests =>
    firehoseBody(
      requests[0]?.id ?? 'none',
      requests.map(request => `${JSON.stringify(cloudfrontEntry(request))}\n`),
    ),
  fastly: requests => lines(requests.map(fastlyEntry)),
  vector: requests =>
    JSON.stringify(
      requests.map(request => ({
        file: '/var/log/nginx/access.log',
        host: 'web1',
        message: combinedLine(request),
        source_type: 'file',
        timestamp: iso(request.time + 900),
      })),
    ),
  fluentbit: requests =>
    lines(requests.map(request => ({ date: request.time / 1000 + 0.9, log: combinedLine(request) }))),
  syslog: requests =>
    requests
      .map(request => `<190>1 ${iso(request.time)} web1 nginx - - - ${combinedLine(request)}`)
      .join('\n'),
}
