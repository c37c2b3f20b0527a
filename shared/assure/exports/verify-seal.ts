// Checks the proof of a manifest: an artifact of the log, under a signed checkpoint, holds its hash. So nobody can later replace
// or remove a file of the pack, or change the time or size that it states.
import type { Log, Proof } from '../../ledger/evidence/checkpoint/proven.ts'
import { openProven } from '../../ledger/evidence/checkpoint/proven.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { PACK, type PackManifest } from './pack.ts'
import { type PackFiles, readText } from './pack-reader.ts'
import { readProven } from './pack-shape.ts'
import type { Report } from './verify-report.ts'

/** `text`: the exact text of the manifest. Reports a missing or wrong proof and returns undefined. */
export async function checkSeal(
  files: PackFiles,
  { text, manifest, log }: { text: string; manifest: PackManifest; log: Log },
  report: Report,
): Promise<Proof | undefined> {
  const read = files.paths.has(PACK.proof) ? readProven(await readText(files, PACK.proof)) : undefined
  const proof = read && openProven(read, log)
  const { type, data, occurred_at } = proof?.facts ?? {}
  const names = type === 'evidence.pack.made' && data?.['manifest_sha256'] === sha256Hex(text)
  if (proof && names && occurred_at === manifest.generated_at && proof.sequence >= manifest.range.to) return proof
  report.addFile(PACK.proof, 'seal')
  return undefined
}
