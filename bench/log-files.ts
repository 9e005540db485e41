/** The same visits as log files of several servers. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { realRows, type TrafficShape, traffic, type Visit } from './traffic.ts'

export type LogFormat = 'combined' | 'nginx-json' | 'caddy-json' | 'cloudfront'

const host = 'bench.example'
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const orEmpty = (text: string): string => (text === '-' ? '' : text)
const linesAtOnce = 20_000

/** What stands before the lines, and the line of a visit. */
const spellings: Record<LogFormat, { readonly head: string; line(visit: Visit): string }> = {
  combined: {
    head: '',
    line: v =>
      `${v.address} - - [${commonTime(v.timeMs)}] "${v.method} ${v.target}${v.protocol === '' ? '' : ` ${v.protocol}`}" ${v.status} ${v.bytes} "${v.referrer}" "${v.userAgent}"`,
  },
  'nginx-json': {
    head: '',
    line: v =>
      JSON.stringify({
        time_iso8601: `${new Date(v.timeMs).toISOString().slice(0, 19)}+00:00`,
        remote_addr: v.address,
        request_method: v.method,
        request_uri: v.target,
        server_protocol: v.protocol,
        status: String(v.status),
        body_bytes_sent: String(v.bytes),
        http_referer: orEmpty(v.referrer),
        http_user_agent: orEmpty(v.userAgent),
      }),
  },
  'caddy-json': { head: '', line: v => JSON.stringify(caddyEntry(v)) },
  cloudfront: {
    head: `#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken\n`,
    line: cloudfrontLine,
  },
}

/** Writes a file for each format, in one pass. Returns after the last line is written. */
export function writeLogs(shape: TrafficShape, files: Readonly<Partial<Record<LogFormat, string>>>): void {
  const opened = (Object.entries(files) as [LogFormat, string][]).map(([format, path]) => ({
    ...spellings[format],
    file: openSync(path, 'w'),
    waiting: [] as string[],
  }))
  for (const { file, head } of opened) writeSync(file, head)
  const flush = (): void => {
    for (const { file, waiting } of opened) {
      // The last line ends with a line break as well.
      writeSync(
        file,
        waiting
          .splice(0)
          .map(text => `${text}\n`)
          .join(''),
        null,
        'latin1',
      )
    }
  }
  let lines = 0
  for (const visit of traffic(realRows(), shape)) {
    for (const { line, waiting } of opened) waiting.push(line(visit))
    if (++lines % linesAtOnce === 0) flush()
  }
  flush()
  for (const { file } of opened) closeSync(file)
}

function commonTime(timeMs: number): string {
  const [date, time] = new Date(timeMs).toISOString().slice(0, 19).split('T')
  const [year, month, day] = date!.split('-')
  return `${day}/${months[Number(month) - 1]}/${year}:${time} +0000`
}

function caddyEntry(v: Visit): object {
  return {
    level: 'info',
    ts: v.timeMs / 1000,
    logger: 'http.log.access.log0',
    msg: 'handled request',
    request: {
      remote_ip: v.address,
      remote_port: '40000',
      client_ip: v.address,
      proto: v.protocol,
      method: v.method,
      host,
      uri: v.target,
      headers: {
        'User-Agent': [orEmpty(v.userAgent)],
        ...(v.referrer !== '-' && { Referer: [v.referrer] }),
        Accept: ['*/*'],
      },
    },
    bytes_read: 0,
    user_id: '',
    duration: 0.0013,
    size: v.bytes,
    status: v.status,
    resp_headers: { Server: ['Caddy'] },
  }
}

function cloudfrontLine(v: Visit): string {
  const [date, time] = new Date(v.timeMs).toISOString().slice(0, 19).split('T')
  const [stem, query = '-'] = v.target.split('?', 2)
  // CloudFront writes spaces and quotes in headers as in an address.
  const quoted = (text: string): string => text.replace(/[ "\t]/g, sign => encodeURIComponent(sign))
  return [
    date,
    time,
    'FRA56-P4',
    v.bytes,
    v.address,
    v.method,
    host,
    stem,
    v.status,
    quoted(v.referrer),
    quoted(v.userAgent),
    query,
    '-',
    'Miss',
    'Zm9vYmFy',
    host,
    'https',
    320,
    0.001,
  ].join('\t')
}
