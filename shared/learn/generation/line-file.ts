// A local file of lines that is hashed while it is written.
import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'

const BUFFERED_MAX = 1_048_576

export class LineFile {
  readonly path: string
  readonly #file: number
  readonly #digest = createHash('sha256')
  #buffered: string[] = []
  #length = 0
  #bytes = 0
  #rows = 0

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'w')
  }

  get rows(): number {
    return this.#rows
  }

  write(line: string): void {
    this.#buffered.push(line, '\n')
    this.#length += line.length + 1
    this.#rows += 1
    if (this.#length >= BUFFERED_MAX) this.#flush()
  }

  /** Closes the file. */
  finish(): { sha256: string; size_bytes: number; rows: number } {
    this.#flush()
    closeSync(this.#file)
    return { sha256: this.#digest.digest('hex'), size_bytes: this.#bytes, rows: this.#rows }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffered.join(''))
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
    this.#digest.update(bytes)
    this.#bytes += bytes.length
    this.#buffered = []
    this.#length = 0
  }
}
