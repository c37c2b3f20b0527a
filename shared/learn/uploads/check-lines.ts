// Reads an uploaded file line by line into a local file, so that memory never holds more than a line of it.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { DatasetFormat } from '../datasets/dataset.ts'
import { readJudgement, readPreference } from '../trainers/rows/examples.ts'
import { problemOf } from './row-schema.ts'

const REPORTED_MAX = 20
const LINE_BYTES_MAX = 1_048_576
const NEWLINE = 10

export type Checked = {
  rows: number
  size_bytes: number
  sha256: string
  /** The first ones, from line 1. */
  bad: { line: number; reason: string }[]
  /** Each row names its action and payload, as those of generated datasets do. */
  names_actions: boolean
}

/** An empty last line is none. */
export async function checkLines(
  content: AsyncIterable<Uint8Array>,
  format: DatasetFormat,
  path: string,
): Promise<Checked> {
  const digest = createHash('sha256')
  const file = createWriteStream(path)
  const lines = new Lines(format)
  let size_bytes = 0
  for await (const piece of content) {
    digest.update(piece)
    size_bytes += piece.length
    lines.take(piece)
    if (!file.write(piece)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return { ...lines.finish(), size_bytes, sha256: digest.digest('hex') }
}

/** The formats that the embedded trainer reads. */
const READERS: Partial<Record<DatasetFormat, (line: string) => unknown>> = { kto: readJudgement, dpo: readPreference }

function namesAction(format: DatasetFormat, line: string): boolean {
  try {
    READERS[format]?.(line)
    return true
  } catch {
    return false
  }
}

class Lines {
  readonly #format: DatasetFormat
  readonly #bad: Checked['bad'] = []
  #rows = 0
  #namesActions: boolean
  #rest: Uint8Array[] = []
  #length = 0

  constructor(format: DatasetFormat) {
    this.#format = format
    this.#namesActions = format in READERS
  }

  take(piece: Uint8Array): void {
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, at))
      this.#end()
      from = at + 1
    }
    this.#keep(piece.subarray(from))
  }

  finish(): Pick<Checked, 'rows' | 'bad' | 'names_actions'> {
    if (this.#length > 0) this.#end()
    return { rows: this.#rows, bad: this.#bad, names_actions: this.#namesActions }
  }

  /** Of a line that is too long only the length is kept. */
  #keep(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length <= LINE_BYTES_MAX) this.#rest.push(part)
    else this.#rest = []
  }

  #end(): void {
    this.#rows += 1
    const reason = this.#length > LINE_BYTES_MAX ? `is longer than ${LINE_BYTES_MAX} bytes` : this.#problem()
    if (reason !== undefined && this.#bad.length < REPORTED_MAX) this.#bad.push({ line: this.#rows, reason })
    this.#rest = []
    this.#length = 0
  }

  #problem(): string | undefined {
    const text = Buffer.concat(this.#rest).toString()
    this.#namesActions &&= namesAction(this.#format, text)
    try {
      return problemOf(this.#format, JSON.parse(text))
    } catch {
      return 'is no JSON'
    }
  }
}
