// Adds card and manifest to the local files of a dataset, and stores all of them in the bucket.
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { storeFile } from '../../base/aws/files.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { cardOf, type Described } from './card.ts'
import { type Dataset, type DatasetFile, datasetKey } from './dataset.ts'

export const CARD = 'README.md'
export const MANIFEST = 'manifest.json'

/** The files with card and manifest. `content_sha256` is the hash of the manifest, which has the hashes of all others. */
export function describeFiles(dataset: Described, made: readonly DatasetFile[], folder: string) {
  const card = written(folder, CARD, cardOf(dataset, made))
  const files = [...made, card].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const manifest = written(folder, MANIFEST, `${canonicalJson({ v: 1, files })}\n`)
  return { files: [...files, manifest], content_sha256: manifest.sha256 }
}

function written(folder: string, path: string, text: string): DatasetFile {
  writeFileSync(join(folder, path), text)
  return { path, sha256: sha256Hex(text), size_bytes: Buffer.byteLength(text) }
}

const TYPES: Record<string, string> = { md: 'text/markdown', json: 'application/json' }

export async function publishFiles(dataset: Dataset, files: readonly DatasetFile[], folder: string): Promise<void> {
  for (const { path, sha256, size_bytes } of files) {
    const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/x-ndjson'
    await storeFile(datasetKey(dataset, path), { path: join(folder, path), sha256, size_bytes, type })
  }
}
