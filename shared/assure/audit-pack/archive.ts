// The archive while it is written: its files with their hashes, and the omissions. `chain/` lists its own files; of these only
// the manifest is listed here.
import { createReadStream } from 'node:fs'
import type { PackFile } from '../exports/pack/pack.ts'
import type { Content, Measured, ZipWriter } from '../exports/pack/zip.ts'
import { AUDIT, CHAIN_MANIFEST, type Omission } from './manifest.ts'
import { csvRecord } from '../../base/lib/export-text.ts'

export class Archive {
  readonly #zip: Pick<ZipWriter, 'add'>
  readonly files: PackFile[] = []
  readonly omissions: Omission[] = []

  constructor(zip: Pick<ZipWriter, 'add'>) {
    this.#zip = zip
  }

  readonly add = async (path: string, content: Content): Promise<Measured> => {
    const measured = await this.#zip.add(path, content)
    if (!path.startsWith(AUDIT.chain) || path === CHAIN_MANIFEST) this.files.push({ path, ...measured })
    return measured
  }

  /** A file that lies in a local folder. */
  readonly addFile = (path: string, from: string): Promise<Measured> => this.add(path, bytesOf(from))

  /** Nothing is left out in silence. */
  readonly omit = (omission: Omission): void => void this.omissions.push(omission)
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Buffer>
}

type Values = Readonly<Record<string, unknown>>

/** The header of a document, and the text of its rows. */
export const csvHead = (columns: readonly string[]): string => csvRecord(columns)

export const csvRows = (columns: readonly string[], rows: readonly Values[]): string =>
  rows.map((row) => csvRecord(columns.map((name) => row[name]))).join('')

export const csvDocument = (columns: readonly string[], rows: readonly Values[]): string[] => [
  csvHead(columns),
  csvRows(columns, rows),
]

/** Several codes in one cell. */
export const inCell = (codes: readonly string[]): string => codes.join(' ')
