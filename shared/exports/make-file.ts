import type { Context } from '../context.ts'
import type { Export } from './export.ts'
import type { LocalFile } from './store-file.ts'
import { writePack } from './write-pack.ts'
import { writeRows } from './write-rows.ts'
import { ZipWriter } from './zip.ts'

export type MadeFile = LocalFile & { extension: string; row_count: number }

/** Writes the file that was asked for to a local path. */
export async function makeFile(ctx: Context, { ask, requested_at }: Export, path: string): Promise<MadeFile> {
  if (ask.type !== 'evidence') return writeRows(ctx, ask, path)
  const at = Date.parse(requested_at)
  const zip = await ZipWriter.create(path, at)
  try {
    const row_count = await writePack(ctx, zip, ask, at)
    return { path, ...(await zip.finish()), type: 'application/zip', extension: 'zip', row_count }
  } finally {
    await zip.close()
  }
}
