// Writes all rows of a window into a compressed file, page by page.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Context } from '../../base/context.ts'
import type { RowsAsk } from './export.ts'
import type { MadeFile } from './make-file.ts'
import { FORMAT, ROW_EXPORT, rowWriter } from './row-export.ts'

const ROWS_PER_PAGE = 1_000

export async function writeRows(ctx: Context, ask: RowsAsk, path: string): Promise<MadeFile> {
  const count = { rows: 0, bytes: 0 }
  const digest = createHash('sha256')
  const measure = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      digest.update(piece)
      count.bytes += piece.length
      yield piece
    }
  }
  await pipeline(Readable.from(textOf(ctx, ask, count)), createGzip(), measure, createWriteStream(path))
  const { extension } = FORMAT[ask.format]
  return {
    path,
    sha256: digest.digest('hex'),
    size_bytes: count.bytes,
    type: 'application/gzip',
    extension: `${extension}.gz`,
    row_count: count.rows,
  }
}

async function* textOf(ctx: Context, { type, format, ...window }: RowsAsk, count: { rows: number }) {
  const { page, columns } = ROW_EXPORT[type]
  const { head, row, tail } = rowWriter(format, columns)
  yield head
  let cursor: string | undefined
  do {
    const { items, next_cursor } = await page(ctx, { limit: ROWS_PER_PAGE, cursor }, window)
    count.rows += items.length
    yield items.map(row).join('')
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  yield tail
}
