// Checks the proof of a manifest: an artifact of the log, under a signed checkpoint, holds its hash. So nobody can later replace
// or remove a file of the pack, or change the time or size that it states.
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'
import type { Log, Proof } from '../../ledger/evidence/checkpoint/proven.ts'
import { openProven } from '../../ledger/evidence/checkpoint/proven.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { PACK } from './pack.ts'
import { type PackFiles, readText } from './pack-reader.ts'
import { readProven } from './pack-shape.ts'
import type { Report } from './verify-report.ts'

export type Sealed = {
  /** The exact text of the manifest, and when it says that it was made. */
  text: string
  generated_at: string
  log: Log
  /** Of the artifact that holds the hash. */
  type: ArtifactType
  /** What else must be true of that artifact. */
  fits: (proof: Proof) => boolean
}

/** Reports a missing or wrong proof and returns undefined. */
export async function checkSeal(files: PackFiles, sealed: Sealed, report: Report): Promise<Proof | undefined> {
  const read = files.paths.has(PACK.proof) ? readProven(await readText(files, PACK.proof)) : undefined
  const proof = read && openProven(read, sealed.log)
  const { type, data, occurred_at } = proof?.facts ?? {}
  const names = type === sealed.type && data?.['manifest_sha256'] === sha256Hex(sealed.text)
  if (proof && names && occurred_at === sealed.generated_at && sealed.fits(proof)) return proof
  report.addFile(PACK.proof, 'seal')
  return undefined
}
