// Every change of a dataset's status, with its artifact in the same commit.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove, type States } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { type Artifact, newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { type Dataset, datasets, type DatasetStatus, GENERATED_STATES, UPLOADED_STATES } from './dataset.ts'

type Change = Partial<Omit<Dataset, 'status' | 'artifact' | 'updated_at'>> & { status: DatasetStatus }

/** The first status of a dataset, or the one after `was`. */
export function stated(ctx: Context, next: Omit<Dataset, 'artifact'>, was?: DatasetStatus) {
  const { id, status, source, format, dataset_version, content_sha256, error, lineage } = next
  const data = {
    ...(was && { from: was }),
    to: status,
    source,
    format,
    dataset_version,
    ...(content_sha256 !== undefined && { content_sha256 }),
    ...(lineage?.chain_head && { chain_head: lineage.chain_head.hash }),
    ...(error && { code: error.code }),
  }
  const facts = { type: 'training.dataset.changed' as const, subject: { type: 'dataset', id }, data }
  const artifact = newArtifact(ctx, { ...facts, at: Date.parse(next.updated_at) })
  const dataset: Dataset = { ...next, artifact: { id: artifact.artifact_id, hash: artifact.hash } }
  return { artifact, dataset }
}

/** The writes that store evidence and, of a dataset that became ready, its event. */
export const statedWrites = (ctx: Context, { artifact, dataset }: { artifact: Artifact; dataset: Dataset }): Write[] =>
  recorded(ctx, [{ artifact, events: dataset.status === 'ready' ? [createdEvent(dataset)] : [] }])

const createdEvent = ({ id, name, content_sha256, files }: Dataset): EventDraft => ({
  type: 'artifact.created',
  subject: { id, version: 1 },
  data: {
    artifact_type: 'dataset',
    resource_id: id,
    name,
    sha256: content_sha256 ?? null,
    size_bytes: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
  },
})

/** Undefined when somebody else has changed the dataset meanwhile. Throws 409 for a move that its table does not allow. */
export async function moveDataset(
  ctx: Context,
  was: Stored<Dataset>,
  change: Change,
): Promise<Stored<Dataset> | undefined> {
  const states: Partial<States<DatasetStatus>> = was.source === 'upload' ? UPLOADED_STATES : GENERATED_STATES
  mustAllowMove({ ...NOWHERE, ...states }, was.status, change.status)
  const { artifact: _, ...former } = was
  const made = stated(ctx, { ...former, ...change, updated_at: iso(ctx.now()) }, was.status)
  const commit = ctx.table.commit([datasets.replace(made.dataset, was), ...statedWrites(ctx, made)])
  return (await isFirst(commit)) ? { ...made.dataset, _v: was._v + 1 } : undefined
}

const NOWHERE: States<DatasetStatus> = {
  queued: [],
  generating: [],
  awaiting_upload: [],
  validating: [],
  ready: [],
  invalid: [],
  failed: [],
  stale: [],
}
