// Writes all rows of a window into a compressed file, page by page.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Context } from '../../../base/context.ts'
import type { RowSources } from '../../../base/ports/rows.ts'
import type { Export, RowsAsk } from '../export.ts'
import type { MadeFile, Maker } from '../pack/stage.ts'
import { FORMAT, rowExports, rowWriter } from './row-export.ts'

const ROWS_PER_PAGE = 1_000

/** Nothing announces rows: they are only read. */
export const rowsMaker = (sources: RowSources): Maker => ({
  stage: async () => 'unsealed',
  make: (ctx, item, path) => writeRows(ctx, rowsOf(item), { sources, path }),
})

function rowsOf({ ask }: Export): RowsAsk {
  if (ask.type !== 'evidence' && ask.type !== 'compliance') return ask
  throw new Error(`an export of type ${ask.type} has no rows`)
}

type Place = { sources: RowSources; path: string }

async function writeRows(ctx: Context, ask: RowsAsk, { sources, path }: Place): Promise<MadeFile> {
  const count = { rows: 0, bytes: 0 }
  const digest = createHash('sha256')
  const measure = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      digest.update(piece)
      count.bytes += piece.length
      yield piece
    }
  }
  await pipeline(Readable.from(textOf(ctx, ask, { sources, count })), createGzip(), measure, createWriteStream(path))
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

type Counted = { sources: RowSources; count: { rows: number } }

async function* textOf(ctx: Context, { type, format, bom, ...window }: RowsAsk, { sources, count }: Counted) {
  const { page, columns } = rowExports(sources)[type]
  const { head, row, tail } = rowWriter(format, columns, bom)
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
