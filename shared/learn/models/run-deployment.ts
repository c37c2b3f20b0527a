// Carries out an approved deployment: loads the model as decisions will, tests it, and puts it into its slot. The sweeper calls it
// until the model is deployed or has failed.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { readModel } from '../../govern/learned/load-model.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { findModel } from './find-model.ts'
import { type Model, models, moveModel } from './model.ts'
import { changeSlot, findSlot, placed } from './move-slot.ts'
import { selfTest, storedRows } from './self-test.ts'
import { isApproved } from './was-approved.ts'

const ATTEMPTS_MAX = 3

/** A repeat changes nothing. */
export async function runDeployment(ctx: Context, id: string): Promise<void> {
  const was = await findModel(ctx, id)
  if (was.status !== 'deploying') return
  const error = await problemOf(ctx, was)
  await retryWhenOvertaken(() => (error ? fail(ctx, id, error) : deploy(ctx, id)))
}

type Problem = NonNullable<Model['error']>

/** A file that cannot be read now may be readable a minute later: the sweeper comes again. */
async function problemOf(ctx: Context, model: Stored<Model>): Promise<Problem | undefined> {
  if (!(await isApproved(ctx, model)))
    return { code: 'not_approved', message: 'No approval of this deployment is proven.' }
  if (model.type !== 'approval') return undefined // nothing here runs it: the slot tells the agents which one to use
  try {
    return selfTest(await readModel(ctx.space, ctx.now(), model.artifact), model, await storedRows(ctx, model))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { code: 'model_unreadable', message }
  }
}

async function fail(ctx: Context, id: string, error: Problem): Promise<void> {
  const was = await findModel(ctx, id)
  if (was.status !== 'deploying') return
  const attempts = (was.attempts ?? 0) + 1
  if (error.code === 'model_unreadable' && attempts < ATTEMPTS_MAX) return again(ctx, was, attempts)
  const slot = await findSlot(ctx, was.name)
  const { write, transition } = moveModel(ctx, was, 'failed', { error, due_at: undefined, attempts: undefined })
  await ctx.table.commit([write, changeSlot(slot, { open: undefined }), ...recorded(ctx, [transition])])
}

const AGAIN_MS = 60_000

const again = (ctx: Context, was: Stored<Model>, attempts: number) =>
  ctx.table.commit([models.replace({ ...was, attempts, due_at: iso(ctx.now() + AGAIN_MS) }, was)])

/** One transaction moves the slot and retires the former model. */
async function deploy(ctx: Context, id: string): Promise<void> {
  const was = await findModel(ctx, id)
  if (was.status !== 'deploying') return
  const slot = await findSlot(ctx, was.name)
  const at = iso(ctx.now())
  const former = slot.deployed === undefined ? undefined : await findModel(ctx, slot.deployed)
  const coming = moveModel(ctx, was, 'deployed', {
    deployed_at: at,
    retired_at: undefined,
    previous_model_id: former?.id ?? was.previous_model_id,
    due_at: undefined,
    attempts: undefined,
    status_before: undefined,
  })
  const leaving = former && moveModel(ctx, former, 'retired', { retired_at: at })
  const { execution_id, approval_id, override_reason: reason } = was
  const turn = { model_id: id, from: 'deploying', to: 'deployed', by: 'system', execution_id, approval_id, reason }
  await ctx.table.commit([
    coming.write,
    ...(leaving ? [leaving.write] : []),
    ...(await placed(ctx, slot, coming.item, turn)),
    ...recorded(ctx, [coming.transition, ...(leaving ? [leaving.transition] : [])]),
  ])
}
