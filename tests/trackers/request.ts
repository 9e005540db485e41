/** Requests over a real socket with exactly the headers that a test names. */
import http from 'node:http'

export interface Answer {
  readonly status: number
  readonly body: string
  /** When each piece of the body came. */
  readonly pieces: readonly string[]
  readonly headers: http.IncomingHttpHeaders
}

export function request(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      { host: '127.0.0.1', port, path, method, headers, agent: false },
      response => {
        const pieces: string[] = []
        response.setEncoding('utf8').on('data', piece => pieces.push(piece))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: pieces.join(''),
            pieces,
            headers: response.headers,
          }),
        )
        response.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Sends a request and breaks the connection off after `afterMs`, before any answer. */
export function abortedRequest(port: number, path: string, afterMs: number): Promise<void> {
  return new Promise(resolve => {
    const outgoing = http.get({ host: '127.0.0.1', port, path, agent: false }, () => {})
    outgoing.on('error', () => resolve())
    outgoing.on('close', () => resolve())
    setTimeout(() => outgoing.destroy(), afterMs)
  })
}

/** What a WebSocket at `path` echoes. */
export function echoOverWebSocket(port: number, path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    socket.onopen = () => socket.send(text)
    socket.onmessage = event => {
      socket.close()
      resolve(String(event.data))
    }
    socket.onerror = () => reject(new Error('the WebSocket failed'))
  })
}
