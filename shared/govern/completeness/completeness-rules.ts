// Which artifact each state of executions and approvals requires. Pure, so that a test covers every state.
import type { Approval } from '../approvals/approval.ts'
import { MOVED_BY } from '../executions/evidence.ts'
import type { Execution } from '../executions/execution.ts'
import { within } from '../../base/lib/clock.ts'
import type { StoredArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'
import { publicHash } from '../../ledger/evidence/artifact/hashes.ts'

/** How long an artifact may wait for its position in the chain. */
const LATE_MS = 300_000

export type Decided = Exclude<Approval['status'], 'pending'>

/** An artifact of one of these types, on the execution, proves the decision of an approval. */
const DECIDES: Readonly<Record<Decided, readonly ArtifactType[]>> = {
  approved: ['approval.approved'],
  rejected: ['approval.rejected'],
  expired: ['approval.expired'],
  cancelled: ['approval.cancelled', 'approval.rejected'],
}

type Reference = Execution['artifacts'][number]
type Proven = Pick<Execution, 'status' | 'artifacts'>
/** Artifact items by id. */
export type Found = ReadonlyMap<string, Pick<StoredArtifact, 'ah' | 'seq'>>

/** How many artifacts an execution lacks: named ones that are gone, changed or late, and the one of its state. */
export function missingOf({ status, artifacts }: Proven, found: Found, now: number): number {
  const gone = artifacts.filter((reference) => !isInPlace(reference, found, now)).length
  return gone + (names(artifacts, MOVED_BY[status]) ? 0 : 1)
}

/** 1 when the execution of a decided approval names no artifact of the decision. */
export const missingOfDecision = (status: Decided, execution: Pick<Execution, 'artifacts'> | undefined): number =>
  execution && names(execution.artifacts, DECIDES[status]) ? 0 : 1

const names = (artifacts: readonly Reference[], types: readonly string[]): boolean =>
  artifacts.some(({ type }) => types.includes(type))

function isInPlace({ artifact_id, hash, at }: Reference, found: Found, now: number): boolean {
  const item = found.get(artifact_id)
  if (!item || publicHash(item.ah) !== hash) return false
  return item.seq !== undefined || within(LATE_MS, Date.parse(at), now)
}
