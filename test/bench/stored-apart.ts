// What is too much for the memory of a benchmark lies in files: the headers of a chain, and the objects of the bucket of files.
import { closeSync, createReadStream, createWriteStream, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { artifactIdOf, artifactKey } from '../../shared/ledger/evidence/artifact/artifact.ts'
import { artifactHash } from '../../shared/ledger/evidence/artifact/hashes.ts'
import { toAttributes } from '../../shared/base/table/entity.ts'
import type { Answerer } from '../support/intercept.ts'
import type { Call } from '../support/memory-table.ts'
import { SPACE } from '../unit/ledger/evidence/world.ts'
import { counterOf } from './counter-ids.ts'

type Item = Record<string, AttributeValue>
type Keys = { RequestItems: Record<string, { Keys?: Item[] }> }

const ARTIFACTS = /#EV#\d$/

/** Headers of artifacts, found by the counter in their ids. */
export class StoredHeaders {
  readonly #file: number
  readonly #places: Float64Array
  #size = 0

  /** `counters`: how many ids are made. */
  constructor(folder: string, counters: number) {
    this.#file = openSync(join(folder, 'headers'), 'w+')
    this.#places = new Float64Array(2 * counters + 2)
  }

  put(id: string, header: string): void {
    const bytes = Buffer.from(header)
    writeSync(this.#file, bytes)
    this.#places.set([this.#size, bytes.length], 2 * counterOf(id))
    this.#size += bytes.length
  }

  /** For the hook of the table: the artifacts of the file, others as they are stored. */
  readonly answer = ({ name, input }: Call, stored: (key: Item) => Item | undefined): object | undefined => {
    if (name !== 'BatchGetItem') return undefined
    const [[table, { Keys = [] }] = ['', {}]] = Object.entries((input as Keys).RequestItems)
    const items = Keys.map((key) => stored(key) ?? this.#item(key)).filter((item) => item !== undefined)
    return { Responses: { [table]: items } }
  }

  #item({ pk, sk }: Item): Item | undefined {
    if (!ARTIFACTS.test(pk?.S ?? '')) return undefined
    const id = artifactIdOf(sk?.S ?? '')
    const [place = 0, length = 0] = this.#places.subarray(2 * counterOf(id))
    if (length === 0) return undefined
    const bytes = Buffer.alloc(length)
    readSync(this.#file, bytes, 0, length, place)
    const header = bytes.toString()
    return toAttributes({ ...artifactKey(SPACE, id), header, ah: artifactHash(header) })
  }

  close(): void {
    closeSync(this.#file)
  }
}

type S3Input = { Bucket?: string; Key: string; Body?: Readable }

export const fileIn = (folder: string, key: string): string => join(folder, encodeURIComponent(key))

/** The bucket of files in a folder; other buckets are as they were. */
export const filesIn =
  (folder: string, others: Answerer): Answerer =>
  async (call) => {
    const { Bucket, Key, Body } = call.input as S3Input
    if (Bucket !== 'files') return others(call)
    const path = fileIn(folder, Key)
    if (call.name === 'PutObject' && Body) await pipeline(Body, createWriteStream(path))
    else if (call.name === 'DeleteObject') rmSync(path)
    else if (call.name === 'GetObject')
      return { Body: { transformToWebStream: () => Readable.toWeb(createReadStream(path)) } }
    else throw new Error(`the folder does not know ${call.name}`)
    return {}
  }
