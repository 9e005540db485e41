/** Bytes over a socket, for requests that no HTTP client would send. */
import { connect } from 'node:net'

/** Sends `bytes`, and resolves with all that came back before the server closed, or before it was silent for a while. */
export function sendRaw(port: number, bytes: string | Buffer, silenceMs = 300): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.on('error', reject)
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(received))
    socket.write(bytes)
  })
}
