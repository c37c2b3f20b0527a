// Erases payloads on request: of a data subject, or of one execution. The request is committed first, with the artifact that all
// removed payloads name, so the chain says why a payload is missing before it is. Then the payloads go. Each step may be
// repeated; after a crash the erasure is still `running` and due, and the sweeper does the rest. Packs with payloads are withdrawn
// last, because one that was begun before may hold a copy.
import type { Context } from '../../base/context.ts'
import { artifactKey, newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { eraseDataKey, subjectRef } from '../../ledger/sealing/seal.ts'
import { type Execution, executions, subjectPartition } from '../../govern/executions/execution.ts'
import { findExecution } from '../../govern/executions/sealed/open-execution.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { alarm } from '../../base/lib/log.ts'
import type { OnErased } from '../../base/ports/effects.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { type Erasure, erasures, moveErasure } from './erasure.ts'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { approvals } from '../../govern/approvals/approval.ts'
import { endHeld } from '../../govern/approvals/end.ts'
import { unlinkFound } from '../../govern/governance/pii/unlink-found.ts'
import { removeSealed } from '../../govern/executions/sealed/remove.ts'
import { withdrawPacks } from '../exports/withdraw.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { Stored } from '../../base/table/entity.ts'

const ERASURE_ID = idPattern('ers')
/** How long DynamoDB can restore the table. */
const BACKUPS_MS = 35 * 86_400_000
const RETRY_MS = 60_000

/** Exactly one of data subject and execution. */
type ErasureInput = { reason: string; data_subject?: string | undefined; request_id?: string | undefined }

/**
 * Stores the request and erases the payloads. Throws 404 for an unknown execution, 409 for one that is running. When the removal
 * fails, the erasure is returned as `running` and the sweeper goes on. A data subject is stored as its pseudonym only. `erased`
 * removes the data of other layers.
 */
export async function requestErasure(ctx: Context, input: ErasureInput, erased: OnErased): Promise<Erasure> {
  const target =
    input.data_subject === undefined
      ? await requestTarget(ctx, input.request_id ?? '')
      : await subjectTarget(ctx, input.data_subject)
  const { reason } = input
  const at = ctx.now()
  const id = ctx.id('ers')
  const { subject_ref, request_id, payloads } = target
  const artifact = newArtifact(ctx, {
    type: 'evidence.payload.erased',
    subject: { type: 'erasure', id },
    request_id,
    subject_ref,
    data: { erasure_id: id, reason, payloads },
    at,
  })
  const erasure: Erasure = {
    ...ctx.space,
    ...target,
    id,
    status: 'running',
    reason,
    artifact_id: artifact.artifact_id,
    requested_at: iso(at),
    backups_clear_at: target.request_id === undefined ? null : iso(at + BACKUPS_MS),
    due_at: iso(at + RETRY_MS),
  }
  await ctx.table.commit([erasures.insert(erasure), ...commitWith(ctx, [{ artifact }])], erasure.id)
  try {
    return await continueErasure(ctx, erasure.id, erased)
  } catch (error) {
    alarm('erasure_unfinished', error, { erasure: erasure.id }) // the request is committed, so the sweeper continues
    return erasure
  }
}

/** Does the remaining work of an erasure. May be repeated, and by two at once; a completed one changes nothing. */
export async function continueErasure(ctx: Context, id: string, erased: OnErased): Promise<Erasure> {
  const found = await ctx.table.get(erasures, { ...ctx.space, id })
  if (!found) throw notFound('erasure')
  if (found.status === 'completed') return found
  await carryOutErasure(ctx, found, erased)
  const { item, write } = moveErasure(found, 'completed', { completed_at: iso(ctx.now()), due_at: undefined })
  await unlessChangedMeanwhile(ctx.table.commit([write])) // unless another run has completed it
  return item
}

export async function readErasure(ctx: Context, id: string): Promise<Erasure> {
  const found = ERASURE_ID.test(id) ? await ctx.table.get(erasures, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('erasure')
  return found
}

async function subjectTarget(ctx: Context, dataSubject: string) {
  const subject_ref = await subjectRef(ctx.space, dataSubject)
  const { total } = await ctx.table.count({ pk: subjectPartition(ctx.space, subject_ref), index: 'gsi3' })
  return { subject_ref, payloads: total, request_id: undefined }
}

async function requestTarget(ctx: Context, id: string) {
  const { payload, payload_apart, status } = await findExecution(ctx, executionId(id))
  if (status === 'executing') throw conflict('The action is running. Erase its payload when it has ended.')
  return { request_id: id, payloads: payload || payload_apart ? 1 : 0, subject_ref: undefined }
}

function executionId(id: string): string {
  if (!idPattern('exe').test(id)) throw notFound('execution')
  return id
}

const AT_ONCE = 16
const PER_PAGE = 200

/** `erased` removes the data of other layers. */
async function carryOutErasure(
  ctx: Context,
  { subject_ref, request_id, artifact_id }: Erasure,
  erased: OnErased,
): Promise<void> {
  if (subject_ref !== undefined) {
    await eraseDataKey(ctx.space, subject_ref)
    for await (const page of ofSubject(ctx, subject_ref)) {
      await inParallel(AT_ONCE, page, async (one) => {
        await settle(ctx, one, artifact_id)
        if (one.status !== 'executing') await removeSealed(ctx, one.id) // what its run is about to store must not fail
      })
      await erased(
        ctx,
        page.map(({ id }) => id),
      )
    }
  }
  if (request_id !== undefined) {
    await settle(ctx, await findExecution(ctx, request_id), artifact_id)
    await removeSealed(ctx, request_id)
    await erased(ctx, [request_id])
  }
  await withdrawPacks(ctx)
}

async function* ofSubject(ctx: Context, subject: string): AsyncGenerator<Stored<Execution>[]> {
  const range = { pk: subjectPartition(ctx.space, subject), index: 'gsi3', limit: PER_PAGE } as const
  for (let after: string | undefined; ;) {
    const page = await ctx.table.query(executions, { ...range, after })
    yield page
    after = page.at(-1)?.id
    if (page.length < PER_PAGE) return
  }
}

/**
 * After its payload is gone, a held action can no longer run, its artifacts name the artifact of the erasure, and no
 * pseudonym is left.
 */
async function settle(ctx: Context, execution: Stored<Execution>, erasedBy: string): Promise<void> {
  if (execution.held && (execution.status === 'pending_approval' || execution.status === 'approved')) {
    await cancel(ctx, execution, execution.held.id)
  }
  await inParallel(AT_ONCE, execution.artifacts, ({ artifact_id }) => mark(ctx, artifact_id, erasedBy))
  await unlinkFound(ctx, [execution.id])
}

/** A missing artifact is skipped; verification reports it. */
const mark = (ctx: Context, artifactId: string, erased_by: string): Promise<void> =>
  ifThere(ctx.table.update(artifactKey(ctx.space, artifactId), { set: { erased_by }, condition: EXISTS }))

async function ifThere(update: Promise<unknown>): Promise<void> {
  try {
    await update
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
}

const EXISTS = { expression: 'attribute_exists(#ah)', names: { '#ah': 'ah' } }

async function cancel(ctx: Context, execution: Stored<Execution>, approvalId: string): Promise<void> {
  const held = await ctx.table.get(approvals, { ...ctx.space, id: approvalId })
  if (held?.status !== 'pending' && held?.status !== 'approved') return
  const cancelled = { ...held, status: 'cancelled' as const, method: 'cancelled' as const, decided_at: iso(ctx.now()) }
  await endHeld(ctx, held, cancelled, execution, {
    status: 'cancelled',
    artifact: 'approval.cancelled',
    by: ctx.principal.id,
    method: 'cancelled',
    reason: 'the payload was erased',
  })
}
