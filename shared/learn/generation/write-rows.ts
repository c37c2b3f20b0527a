// Writes the rows of each format and split. The seed decides their order, so the same input and seed give the same bytes.
import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { DATASET_FORMATS, type DatasetFile, type Provenance } from '../datasets/dataset.ts'
import { anchorOf, dpoRow, type Planned, rowOf, type Texts } from '../samples/rows.ts'
import type { Sample, Split } from '../samples/sample.ts'
import { createHash } from 'node:crypto'

const SPLITS = ['train', 'test'] as const
export const PROVENANCE = 'provenance.ndjson'

type Input = { rows: readonly Planned[]; split: Split; seed: number; scratch: Scratch; folder: string }

/** A file without rows is not written; where all rows would be for testing, all are for training. */
export function writeRows({ rows, split, seed, scratch, folder }: Input): DatasetFile[] {
  const provenance = new LineFile(join(folder, PROVENANCE))
  const files = DATASET_FORMATS.flatMap((format) => {
    const ofFormat = inOrder(
      rows.filter((row) => row.format === format),
      seed,
    )
    const tests = ofFormat.filter((row) => split.isTest(anchorOf(row)))
    const isUsable = tests.length < ofFormat.length
    return SPLITS.flatMap((name) => {
      const chosen = ofFormat.filter((row) => (isUsable && split.isTest(anchorOf(row))) === (name === 'test'))
      if (chosen.length === 0) return []
      mkdirSync(join(folder, format), { recursive: true })
      const path = `${format}/${name}.jsonl`
      const file = new LineFile(join(folder, path))
      for (const row of chosen) {
        for (const line of provenanceOf(row, path, file.rows)) provenance.write(canonicalJson(line))
        file.write(textOf(row, scratch))
      }
      return { path, ...file.finish() }
    })
  })
  return [...files, { path: PROVENANCE, ...withoutRows(provenance.finish()) }]
}

export const withoutRows = ({ sha256, size_bytes }: Omit<DatasetFile, 'path'>) => ({ sha256, size_bytes })

function inOrder(rows: readonly Planned[], seed: number): Planned[] {
  const keyed = rows.map((row) => ({ row, key: sha256Hex(`${seed}\n${nameOf(row)}`) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row)
}

const samplesOf = (row: Planned): Sample[] =>
  row.format === 'dpo' ? [row.pair.chosen, row.pair.rejected] : [row.sample]

const nameOf = (row: Planned): string =>
  samplesOf(row)
    .map(({ id }) => id)
    .join(' ')

function textOf(row: Planned, scratch: Scratch): string {
  const [first, second] = samplesOf(row).map(({ place }) => scratch.read(place) as Texts) // as draw.ts appended it
  if (!first) throw new Error('a row without a sample')
  if (row.format !== 'dpo') return rowOf(row.format, row.sample, first)
  if (!second) throw new Error('a pair without its second sample')
  return dpoRow(first, second)
}

const provenanceOf = (planned: Planned, file: string, row: number): Provenance[] =>
  samplesOf(planned).map(({ side, confidence, source, execution_ids, artifact_ids }) => ({
    file,
    row,
    side,
    confidence,
    source,
    execution_ids,
    artifact_ids,
  }))

const BUFFERED_MAX = 1_048_576

/** A local file of lines that is hashed while it is written. */
class LineFile {
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

export type Place = { at: number; bytes: number }

/** Texts of samples in a local file, so that memory holds only their labels and hashes. */
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
