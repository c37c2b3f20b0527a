// Every change of a snapshot's status, with its artifact in the same commit.
import type { Context } from '../../base/context.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { type Snapshot, SNAPSHOT_STATES, snapshots } from './snapshot.ts'

/** `was` is undefined for a new one. Throws 409 for a move that the table of states does not have. */
export function snapshotChange(ctx: Context, next: Snapshot, was?: Stored<Snapshot>): Write[] {
  if (was) mustAllowMove(SNAPSHOT_STATES, was.status, next.status)
  const body_sha256 = next.body && sha256Hex(next.body)
  const artifact = newArtifact(ctx, {
    type: 'learning.snapshot.changed',
    subject: { type: 'learning_snapshot', id: next.id },
    data: {
      from: was?.status ?? null,
      to: next.status,
      trigger: next.trigger,
      start_at: next.window.start_at,
      end_at: next.window.end_at,
      ...(body_sha256 !== undefined && { body_sha256 }),
      ...(next.error && { code: next.error.code }),
    },
  })
  const events = body_sha256 === undefined ? [] : [created(next, body_sha256)]
  return [
    was ? snapshots.replace(next, was, new Overtaken()) : snapshots.insert(next),
    ...recorded(ctx, [{ artifact, events }]),
  ]
}

const created = ({ id, window, body }: Snapshot, sha256: string): EventDraft => ({
  type: 'artifact.created',
  subject: { id, version: 1 },
  data: {
    artifact_type: 'learning_snapshot',
    resource_id: id,
    name: `Snapshot of ${window.end_at.slice(0, 10)}`,
    sha256,
    size_bytes: body?.length ?? null,
  },
})
