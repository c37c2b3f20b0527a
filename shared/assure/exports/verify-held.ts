// What the reader already holds of a log must agree with a pack: a log only grows, and of one size it has one root.
import type { Log } from '../../ledger/evidence/checkpoint/proven.ts'
import { openCheckpoint } from '../../ledger/evidence/checkpoint/proven.ts'
import { sameBytes } from '../../base/lib/hash.ts'
import type { PackManifest } from './pack.ts'
import { Unreadable } from './pack-shape.ts'
import type { Report } from './verify-report.ts'
import type { SignedRoot } from './verify-signatures.ts'

export type Held = { notes: readonly string[]; manifest: PackManifest; newest: SignedRoot | undefined; log: Log }

/** Those checkpoints of the reader that the walk through the pack will meet. `newest`: the one that covers the manifest. */
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
  new Unreadable(`the pack does not reach over the given checkpoint of size ${size}; ask for one that does`)
