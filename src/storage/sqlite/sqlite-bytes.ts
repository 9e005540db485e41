/** Growing byte buffer and reader for the packed rows: unsigned numbers of seven bits a byte, low bits first. */
import type { DecimalSum } from '../../domain/money.ts'

const numberBytesMax = 10

export class ByteWriter {
  #bytes = new Uint8Array(1024)
  #length = 0

  /** Any unsigned integer below 2^70 that a number can hold. */
  number(value: number): void {
    if (this.#length + numberBytesMax > this.#bytes.length) this.#grow()
    let rest = value
    // Above 2^31 the bit operators would cut the number off.
    while (rest > 0x7fffffff) {
      this.#bytes[this.#length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** A sum of values. The sign goes with the billionths, since a huge whole part has no bit to spare. */
  decimal({ whole, billionths }: DecimalSum): void {
    this.number(billionths * 2 + (whole < 0 ? 1 : 0))
    this.number(Math.abs(whole))
  }

  /** What was written, as a copy; the writer starts again empty. */
  take(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#length)
    this.#length = 0
    return bytes
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2)
    bytes.set(this.#bytes)
    this.#bytes = bytes
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array
  #position: number

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes
    this.#position = position
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length
  }

  /** The place of the next byte. */
  get position(): number {
    return this.#position
  }

  number(): number {
    const bytes = this.#bytes
    let byte = bytes[this.#position++]!
    if (byte < 128) return byte
    let value = byte & 127
    let scale = 128
    do {
      byte = bytes[this.#position++]!
      value += (byte & 127) * scale
      scale *= 128
    } while (byte > 127)
    return value
  }
  decimal(): DecimalSum {
    const packed = this.number()
    const size = this.number()
    return { whole: packed % 2 === 1 ? -size : size, billionths: Math.floor(packed / 2) }
  }
}
