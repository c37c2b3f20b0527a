// Carries out an approved deployment: loads the model as decisions will, tests it, and puts it into its slot. The sweeper calls it
// until the model is deployed or has failed.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { readModel, readModelFile } from '../../govern/learned/load-model.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { findModel, type Model, models, moveModel } from './model.ts'
import { changeSlot, findSlot, placed } from './move-model.ts'
import { isApproved } from './was-approved.ts'
import * as z from 'zod'
import { sha256Hex } from '../../base/lib/json.ts'
import { type Linear, logit, sigmoid } from '../../base/scorer/weights-file.ts'

const ATTEMPTS_MAX = 3

/**
 * Ends a deployment as `deployed` or `failed`; a file that cannot be read is tried three times, a minute apart. The approval is
 * read from the evidence. One transaction moves both models and the slot, so a process that dies leaves it to the next sweep, and
 * a repeat changes nothing.
 */
export async function runDeployment(ctx: Context, id: string): Promise<void> {
  const was = await findModel(ctx, id)
  if (was.status !== 'deploying') return
  const error = await problemOf(ctx, was)
  await retryWhenChanged(() => (error ? fail(ctx, id, error) : deploy(ctx, id)))
}

type Problem = NonNullable<Model['error']>

/** A file that cannot be read now may be readable a minute later: the sweeper comes again. */
async function problemOf(ctx: Context, model: Stored<Model>): Promise<Problem | undefined> {
  if (!(await isApproved(ctx, model)))
    return { code: 'not_approved', message: 'No approval of this deployment is proven.' }
  if (model.type !== 'approval') return undefined // nothing here runs it: agents read from the slot which one to use
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
  await ctx.table.commit([write, changeSlot(slot, { open: undefined }), ...commitWith(ctx, [transition])])
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
    ...commitWith(ctx, [coming.transition, ...(leaving ? [leaving.transition] : [])]),
  ])
}

/** How far a probability may be from that of the training. */
const TOLERANCE = 0.01
const WITHIN_MS = 10_000

/** A test row and what the model said of it; the first hundred have their features. */
const Row = z.object({
  p: z.number(),
  features: z.object({ indices: z.array(z.int()), values: z.array(z.number()) }).optional(),
})
type Row = z.output<typeof Row>

/** No rows for a model that was made elsewhere. Throws when the file is not the one that the training stored. */
async function storedRows(ctx: Context, { predictions }: Pick<Model, 'predictions'>): Promise<Row[]> {
  if (!predictions) return []
  const text = await readModelFile(ctx.space, ctx.now(), predictions.uri, WITHIN_MS)
  if (sha256Hex(text) !== predictions.sha256) throw new Error('the stored predictions were changed')
  return text.split('\n').flatMap((line) => (line === '' ? [] : Row.parse(JSON.parse(line))))
}

/** The problem, if there is one: some stored row has another probability than the training recorded. */
function selfTest(
  model: Linear & { type: string },
  { type }: Pick<Model, 'type'>,
  rows: readonly Row[],
): Model['error'] {
  if (model.type !== type) return { code: 'wrong_type', message: `the file holds a model of type ${model.type}` }
  const kept = rows.flatMap(({ p, features }) =>
    features ? { p, indices: Uint16Array.from(features.indices), values: Float64Array.from(features.values) } : [],
  )
  const off = kept.filter(({ p, ...features }) => !(Math.abs(sigmoid(logit(model, features)) - p) <= TOLERANCE))
  if (off.length === 0) return undefined
  const message = `${off.length} of ${kept.length} stored rows have another probability than in training`
  return { code: 'self_test_failed', message }
}
