// Compares a pack with checkpoints that its reader already holds. A log only grows, and has one root for each size.
import type { Log } from '../../ledger/evidence/checkpoint/proven.ts'
import { openCheckpoint } from '../../ledger/evidence/checkpoint/proven.ts'
import { sameBytes } from '../../base/lib/hash.ts'
import type { PackManifest } from './pack.ts'
import { Unreadable } from './pack-shape.ts'
import type { Report } from './verify-report.ts'
import type { SignedRoot } from './verify-signatures.ts'

export type Held = {
  notes: readonly string[]
  manifest: Pick<PackManifest, 'range'>
  newest: SignedRoot | undefined
  log: Log
}

/** The reader's checkpoints within the range, to be compared later. `newest`: the checkpoint that covers the manifest. */
export function readHeld({ notes, manifest, newest, log }: Held, report: Report): SignedRoot[] {
  const { from, to } = manifest.range
  return notes.flatMap((note) => {
    const held = openCheckpoint(note, log.keysFor)
    if (held?.origin !== log.origin) {
      report.failCheckpoint(held?.size ?? 0, 'signature')
      return []
    }
    if (held.size >= from && held.size <= to) return [held]
    if (newest && held.size > newest.size) report.failCheckpoint(held.size, 'rollback')
    else if (newest?.size !== held.size) throw incomparable(held.size)
    else if (!sameBytes(held.root, newest.root)) report.failCheckpoint(held.size, 'root')
    return []
  })
}

const incomparable = (size: number) =>
  new Unreadable(`the range of the pack does not include the given checkpoint of size ${size}; use a pack that does`)
