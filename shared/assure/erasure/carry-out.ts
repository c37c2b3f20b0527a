// The steps of an erasure. Each may be repeated.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { approvals } from '../../govern/approvals/approval.ts'
import { endHeld } from '../../govern/approvals/end.ts'
import type { Context } from '../../base/context.ts'
import { artifactKey } from '../../ledger/evidence/artifact/artifact.ts'
import { eraseDataKey } from '../../ledger/sealing/seal.ts'
import { type Execution, executions, subjectPartition } from '../../govern/executions/execution.ts'
import { unlinkFound } from '../../govern/governance/pii/unlink-found.ts'
import { removeSealed } from '../../govern/executions/sealed/remove.ts'
import { findExecution } from '../../govern/executions/sealed/open-execution.ts'
import { withdrawPacks } from '../exports/withdraw.ts'
import { iso } from '../../base/lib/clock.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { OnErased } from '../../base/ports/effects.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Erasure } from './erasure.ts'

const AT_ONCE = 16
const PER_PAGE = 200

/** `erased`: what else has to go. */
export async function carryOutErasure(
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

async function* ofSubject(ctx: Context, subjectRef: string): AsyncGenerator<Stored<Execution>[]> {
  const range = { pk: subjectPartition(ctx.space, subjectRef), index: 'gsi3', limit: PER_PAGE } as const
  for (let after: string | undefined; ;) {
    const page = await ctx.table.query(executions, { ...range, after })
    yield page
    after = page.at(-1)?.id
    if (page.length < PER_PAGE) return
  }
}

/** What depends on a payload: a held action can no longer run, its artifacts name the artifact of the erasure, and no pseudonym stays. */
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
