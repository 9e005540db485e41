/** The interface of a log as uncompressed bytes in order, from any source. */

export interface ByteSource {
  /** Puts the next bytes at `at` and returns how many; 0 when there are no more, for now. Throws AppError. */
  read(target: Buffer, at: number): Promise<number>
  /** Bytes taken so far as they are stored, so compressed ones for a compressed file: for progress. */
  readonly storedBytes: number
  /** For plain files, which can be read from anywhere; null for what must be read from its beginning. */
  readonly seekable: SeekableBytes | null
  close(): Promise<void>
}

export interface SeekableBytes {
  /** Bytes in the file at this moment. */
  size(): Promise<number>
  /** Exactly the bytes asked for, or fewer at the end of the file. Does not move the position. */
  bytesAt(offset: number, length: number): Promise<Buffer>
  /** The next read begins here. */
  seek(offset: number): void
}
