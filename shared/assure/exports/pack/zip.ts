// Writes a ZIP archive to a file while its members are produced, so that nothing has to fit into memory. All members have one
// given time and keep their order, so equal content gives equal bytes. The format is .ZIP File Format Specification 6.3.10
// without ZIP64, so an archive of more than 4 GiB is refused.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, truncate } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Failure } from '../../../base/lib/failure.ts'

const VERSION = 20
/** Sizes follow the content; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
const MAX = 0xff_ff_ff_ff
const LINE_END = 10

export type Content = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>
/** The measures of a member before compression. `rows` counts line ends. */
export type Measured = { sha256: string; bytes: number; rows: number }

export class ZipWriter {
  readonly #file: FileHandle
  readonly #stamp: Buffer
  readonly #digest = createHash('sha256')
  readonly #members: Member[] = []
  #size = 0

  private constructor(file: FileHandle, stamp: Buffer) {
    this.#file = file
    this.#stamp = stamp
  }

  /** `at` (ms): the time of every member. */
  static async create(path: string, at: number): Promise<ZipWriter> {
    return new ZipWriter(await open(path, 'w'), dosTime(at))
  }

  /** Continues an archive that `finish` has closed: new members follow the old ones, and have their time. */
  static async reopen(path: string): Promise<ZipWriter> {
    const { members, offset, stamp } = await readDirectory(path)
    await truncate(path, offset)
    const zip = new ZipWriter(await open(path, 'a'), stamp)
    for await (const piece of createReadStream(path)) zip.#digest.update(piece)
    zip.#members.push(...members)
    zip.#size = offset
    return zip
  }

  async add(path: string, content: Content): Promise<Measured> {
    const name = Buffer.from(path)
    const offset = this.#size
    await this.#write(record(0x04034b50, [VERSION, FLAGS, DEFLATED], this.#stamp, [0, 0, 0], [name.length, 0]), name)
    const totals = { crc: 0, bytes: 0, rows: 0, digest: createHash('sha256') }
    const start = this.#size
    await pipeline(
      Readable.from(measured(content, totals)),
      createDeflateRaw(),
      async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) await this.#write(piece)
      },
    )
    const member = { name, crc: totals.crc, packed: this.#size - start, bytes: totals.bytes, offset }
    if (Math.max(member.packed, member.bytes, this.#size) > MAX) throw tooLarge()
    this.#members.push(member)
    await this.#write(record(0x08074b50, [], Buffer.alloc(0), [member.crc, member.packed, member.bytes], []))
    return { sha256: totals.digest.digest('hex'), bytes: totals.bytes, rows: totals.rows }
  }

  /** Writes the directory and closes the file. */
  async finish(): Promise<{ sha256: string; size_bytes: number }> {
    const offset = this.#size
    for (const { name, crc, packed, bytes, offset: at } of this.#members) {
      const head = record(
        0x02014b50,
        [VERSION, VERSION, FLAGS, DEFLATED],
        this.#stamp,
        [crc, packed, bytes],
        [name.length],
      )
      await this.#write(head, record(undefined, [0, 0, 0, 0], Buffer.alloc(0), [0, at], []), name)
    }
    const count = this.#members.length
    if (this.#size > MAX) throw tooLarge()
    await this.#write(record(0x06054b50, [0, 0, count, count], Buffer.alloc(0), [this.#size - offset, offset], [0]))
    await this.close()
    return { sha256: this.#digest.digest('hex'), size_bytes: this.#size }
  }

  /** Closes the file without finishing it. May be called again. */
  close(): Promise<void> {
    return this.#file.close()
  }

  async #write(...pieces: Buffer[]): Promise<void> {
    for (const piece of pieces) {
      this.#digest.update(piece)
      this.#size += piece.length
      await this.#file.appendFile(piece)
    }
  }
}

const tooLarge = () => new Failure('too_large', 'The export is larger than 4 GiB. Request a smaller part.')

type Totals = { crc: number; bytes: number; rows: number; digest: ReturnType<typeof createHash> }

async function* measured(content: Content, totals: Totals): AsyncGenerator<Uint8Array> {
  for await (const part of content) {
    const piece = typeof part === 'string' ? Buffer.from(part) : part
    totals.crc = crc32(piece, totals.crc)
    totals.bytes += piece.length
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) totals.rows += 1
    totals.digest.update(piece)
    yield piece
  }
}

/** A header: signature, 16-bit numbers, time and date, 32-bit numbers, 16-bit numbers; little-endian. */
function record(signature: number | undefined, head: number[], stamp: Buffer, sizes: number[], tail: number[]): Buffer {
  const shorts = (numbers: number[]) => Buffer.from(Uint8Array.from(numbers.flatMap((one) => [one & 255, one >>> 8])))
  const words = (numbers: number[]) => {
    const bytes = Buffer.alloc(4 * numbers.length)
    numbers.forEach((one, index) => bytes.writeUInt32LE(one, 4 * index))
    return bytes
  }
  return Buffer.concat([
    words(signature === undefined ? [] : [signature]),
    shorts(head),
    stamp,
    words(sizes),
    shorts(tail),
  ])
}

/** Time and date of MS-DOS, in UTC, because the format has no time zones. It has only even seconds. */
function dosTime(at: number): Buffer {
  const date = new Date(at)
  const stamp = Buffer.alloc(4)
  stamp.writeUInt16LE((date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1))
  stamp.writeUInt16LE(((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), 2)
  return stamp
}

type Member = { name: Buffer; crc: number; packed: number; bytes: number; offset: number }

const END_BYTES = 22
const HEAD_BYTES = 46

/**
 * The directory at the end of an archive that `ZipWriter` has made. `offset`: where it begins. `stamp`: time and date of the
 * first member.
 */
export async function readDirectory(path: string): Promise<{ members: Member[]; offset: number; stamp: Buffer }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const read = async (from: number, length: number) => {
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, from)
      return buffer
    }
    const end = await read(size - END_BYTES, END_BYTES)
    const [bytes, offset] = [end.readUInt32LE(12), end.readUInt32LE(16)]
    const directory = await read(offset, bytes)
    return { members: membersOf(directory), offset, stamp: Buffer.from(directory.subarray(12, 16)) }
  } finally {
    await file.close()
  }
}

function membersOf(directory: Buffer): Member[] {
  const members: Member[] = []
  for (let at = 0; at < directory.length;) {
    const head = directory.subarray(at, at + HEAD_BYTES)
    const name = Buffer.from(directory.subarray(at + HEAD_BYTES, at + HEAD_BYTES + head.readUInt16LE(28)))
    const [crc, packed, bytes] = [head.readUInt32LE(16), head.readUInt32LE(20), head.readUInt32LE(24)]
    members.push({ name, crc, packed, bytes, offset: head.readUInt32LE(42) })
    at += HEAD_BYTES + name.length
  }
  return members
}
