// Texts of samples in a local file, so that memory holds only what decides about them.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'

export type Place = { at: number; bytes: number }

export class Scratch {
  readonly #file: number
  #end = 0

  constructor(path: string) {
    this.#file = openSync(path, 'w+')
  }

  append(value: unknown): Place {
    const bytes = Buffer.from(JSON.stringify(value))
    const place = { at: this.#end, bytes: bytes.length }
    for (let written = 0; written < bytes.length;)
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.#end + written)
    this.#end += bytes.length
    return place
  }

  read({ at, bytes }: Place): unknown {
    const buffer = Buffer.allocUnsafe(bytes)
    for (let read = 0; read < bytes;) {
      const count = readSync(this.#file, buffer, read, bytes - read, at + read)
      if (count === 0) throw new Error('the scratch file is shorter than it was')
      read += count
    }
    return JSON.parse(buffer.toString())
  }

  close(): void {
    closeSync(this.#file)
  }
}
