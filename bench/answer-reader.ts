/** Reads HTTP/1.1 answers from the pieces of a connection, with a length or chunked, and keeps nothing of them. */

export interface AnswerSink {
  /** A whole answer has come. `bytes` are those of its head and body. */
  onAnswer(status: number, bytes: number): void
}

const headEnd = Buffer.from('\r\n\r\n')

/** Throws on what is no answer that this reader knows. */
export class AnswerReader {
  readonly #sink: AnswerSink
  /** What is not read yet of a head or of the size line of a chunk. */
  #rest: Buffer = Buffer.alloc(0)
  #status = 0
  #bytes = 0
  #state: 'head' | 'body' | 'size' | 'chunk' | 'trailer' = 'head'
  /** Bytes of the body, or of the chunk and its line end, that are still to come. */
  #left = 0

  constructor(sink: AnswerSink) {
    this.#sink = sink
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece
    for (;;) {
      const read = this.#step(data)
      if (read < 0) break
      data = data.subarray(read)
    }
    this.#rest = data
  }

  /** The bytes read, or -1 when more must come first. */
  #step(data: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(data)
      case 'body':
      case 'chunk': {
        if (this.#left > 0 && data.length === 0) return -1
        const taken = Math.min(this.#left, data.length)
        this.#left -= taken
        if (this.#left > 0) return taken
        if (this.#state === 'chunk') this.#state = 'size'
        else this.#end(data.length - taken)
        return taken
      }
      case 'size': {
        const end = data.indexOf('\r\n')
        if (end < 0) return -1
        const size = Number.parseInt(data.toString('latin1', 0, end), 16)
        if (Number.isNaN(size)) throw new Error('a chunk without a size')
        this.#left = size + 2
        this.#state = size === 0 ? 'trailer' : 'chunk'
        return end + 2
      }
      case 'trailer':
        if (data.length < 2) return -1
        this.#end(data.length - 2)
        return 2
    }
  }

  #readHead(data: Buffer): number {
    const end = data.indexOf(headEnd)
    if (end < 0) return -1
    const head = data.toString('latin1', 0, end).toLowerCase()
    this.#status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/.exec(head)
    if (length) {
      this.#left = Number(length[1])
      this.#state = 'body'
    } else if (head.includes('\r\ntransfer-encoding: chunked')) {
      this.#state = 'size'
    } else {
      throw new Error(`an answer without a length:\n${head}`)
    }
    return end + headEnd.length
  }

  #end(bytesAfter: number): void {
    const bytes = this.#bytes - bytesAfter
    this.#bytes = bytesAfter
    this.#state = 'head'
    this.#sink.onAnswer(this.#status, bytes)
  }
}
