// Compares the files of an archive with the list in its manifest.
import type { PackFile } from './pack.ts'
import { measure, type PackFiles } from './pack-reader.ts'
import type { Report } from './verify-report.ts'

/** Reports files that are not as listed, and files that are neither listed nor `known` otherwise. */
export async function checkFiles(
  files: PackFiles,
  listed: readonly PackFile[],
  known: (path: string) => boolean,
  report: Report,
): Promise<void> {
  const names = new Set(listed.map(({ path }) => path))
  for (const path of files.paths) if (!names.has(path) && !known(path)) report.addFile(path, 'unlisted')
  for (const { path, sha256, bytes, rows } of listed) {
    const found = await measure(files, path)
    if (found.sha256 !== sha256 || found.bytes !== bytes || found.rows !== rows) report.addFile(path, 'file_hash')
  }
}
