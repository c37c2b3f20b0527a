// Takes the payloads of several executions out of the table, each with its own evidence, so that a pack can prove why one is
// missing.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { OnErased } from '../../base/ports/effects.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import type { Retention } from '../../base/tenant/retention.ts'
import { type Execution, payloads } from '../../govern/executions/execution.ts'
import { sealedRemoval } from '../../govern/executions/sealed/remove.ts'
import { unlinkFound } from '../../govern/governance/pii/unlink-found.ts'
import {
  type Artifact,
  artifactKey,
  artifacts,
  newArtifact,
  readable,
  ulidOf,
} from '../../ledger/evidence/artifact/artifact.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { storageChange } from '../../ledger/usage/usage-item.ts'
import { removableAt } from './next-page.ts'

type Waiting = Retention['waiting']
/** The removal of one execution's payload, without the events of its artifact. */
type Removal = { id: string; writes: Write[]; bytes: number; artifact: Artifact }

/** With the outbox item and the counters, a transaction of 90. */
const WRITES_MAX = 86
const WRITES_OF_ARTIFACT = 2

/**
 * Removes the payloads whose time is over, several executions in one transaction with their artifacts. Returns those that
 * have to wait: too early, or changed by another process meanwhile. May be repeated: a removed payload is no longer due.
 * `erased` removes the data of other layers first.
 */
export async function removePast(
  ctx: Context,
  found: readonly Stored<Execution>[],
  days: number,
  erased: OnErased,
): Promise<Waiting> {
  const now = ctx.now()
  const all = found.map((execution) => ({ execution, at: removableAt(execution, days, now) }))
  const due = all.flatMap(({ execution, at }) => (at !== undefined && at <= now ? [execution] : []))
  const waiting = all.flatMap(({ execution: { id }, at }) =>
    at !== undefined && at > now ? [{ id, at: iso(at) }] : [],
  )
  if (due.length === 0) return waiting
  const ids = due.map(({ id }) => id)
  await Promise.all([unlinkFound(ctx, ids), erased(ctx, ids)])
  for (const batch of batches(await removals(ctx, due, days))) waiting.push(...(await commitBatch(ctx, batch)))
  return waiting
}

/** Executions that were changed meanwhile are tried again in the next hour. */
async function commitBatch(ctx: Context, batch: readonly [Removal, ...Removal[]]): Promise<Waiting> {
  const [first, ...others] = batch
  try {
    await ctx.table.commit([
      ...batch.flatMap(({ writes }) => writes),
      ...commitWith(ctx, [{ artifact: first.artifact }, ...others.map(({ artifact }) => ({ artifact }))]),
      ...storageChange(ctx, -batch.reduce((sum, { bytes }) => sum + bytes, 0)),
    ])
    return []
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    return batch.map(({ id }) => ({ id, at: iso(ctx.now()) }))
  }
}

async function removals(ctx: Context, due: readonly Stored<Execution>[], days: number): Promise<Removal[]> {
  const [long, committing] = await Promise.all([
    ctx.table.getAll(
      payloads,
      due.filter(({ payload_apart }) => payload_apart),
    ),
    artifactsWithPayload(ctx, due),
  ])
  const longOf = new Map(long.map((one) => [one.id, one]))
  return due.map((execution) => {
    const { id } = execution
    const artifact = newArtifact(ctx, {
      type: 'evidence.payload.erased',
      subject: { type: 'execution', id },
      request_id: id,
      data: { reason: 'retention', retention_days: days },
    })
    const marks = execution.artifacts
      .filter(({ artifact_id }) => committing.has(artifact_id))
      .map(({ artifact_id }) =>
        artifacts.update(artifactKey(ctx.space, artifact_id), {
          set: { erased_by: artifact.artifact_id },
          condition: { expression: 'attribute_exists(#ah)', names: { '#ah': 'ah' } },
        }),
      )
    const { writes, bytes } = sealedRemoval(execution, longOf.get(id))
    return { id, writes: [...writes, ...marks], bytes, artifact }
  })
}

/** Ids of the artifacts that commit to a payload and name no erasure. A missing one is skipped; verification reports it. */
async function artifactsWithPayload(ctx: Context, due: readonly Execution[]): Promise<ReadonlySet<string>> {
  const ids = due.flatMap((execution) => execution.artifacts.map(({ artifact_id }) => artifact_id))
  const found = await ctx.table.getAll(
    readable(artifacts),
    ids.map((id) => artifactKey(ctx.space, id)),
  )
  const committing = found.filter(
    (item) => item && item.erased_by === undefined && readHeader(item.header)?.payload_commitment !== undefined,
  )
  const places = new Set(committing.map((item) => item?.sk))
  return new Set(ids.filter((id) => places.has(ulidOf(id))))
}

function batches(all: readonly Removal[]): [Removal, ...Removal[]][] {
  const made: [Removal, ...Removal[]][] = []
  let used = 0
  for (const one of all) {
    const size = one.writes.length + WRITES_OF_ARTIFACT
    const last = made.at(-1)
    if (last && used + size <= WRITES_MAX) last.push(one)
    else made.push([one])
    used = last && used + size <= WRITES_MAX ? used + size : size
  }
  return made
}
