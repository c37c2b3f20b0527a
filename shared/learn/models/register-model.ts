// Registers a version of a model: one that a job trained, or one that was made elsewhere.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { allSlots, beginModel, type Model, MODEL_TYPES, SLOT, slots, SLOTS_MAX } from './model.ts'
import * as z from 'zod'
import { freeForm, optional } from '../../base/wire/fields.ts'

export type NewModel = Pick<
  Model,
  | 'id'
  | 'name'
  | 'type'
  | 'artifact'
  | 'metrics'
  | 'quality_gate'
  | 'predictions'
  | 'job_id'
  | 'dataset_id'
  | 'dataset_sha256'
>

/**
 * The writes of a new version, for the commit of the caller, who repeats it when the name got another version meanwhile. Throws
 * 409 for one name too many. The version is counted here, never taken from the caller.
 */
export async function registerModel(
  ctx: Context,
  facts: NewModel,
): Promise<{ model: Model; writes: Write[]; transition: Transition }> {
  const { table, space, principal } = ctx
  const was = await table.get(slots, { ...space, slot: facts.name })
  if (!was) await mustHaveRoom(ctx)
  const model_version = (was?.latest_version ?? 0) + 1
  const next = { ...space, slot: facts.name, history: [], ...was, latest_version: model_version }
  const {
    item: model,
    write,
    transition,
  } = beginModel(ctx, {
    ...space,
    ...facts,
    model_version,
    status: 'registered',
    created_at: iso(ctx.now()),
    created_by: { type: principal.kind, id: principal.id },
  })
  const slot = was ? slots.replace(next, was, new ChangedMeanwhile()) : slots.insert(next, new ChangedMeanwhile())
  return { model, writes: [write, slot], transition }
}

async function mustHaveRoom({ table, space }: Context): Promise<void> {
  if ((await allSlots(table, space)).length >= SLOTS_MAX)
    throw conflict(`You have ${SLOTS_MAX} names of models already. Use one of them.`)
}

const METRICS_BYTES_MAX = 16_384

export const ModelBody = z.strictObject({
  name: z.string().regex(SLOT, 'must be lower-case letters, digits and hyphens').describe('A name for people.'),
  type: z.enum(MODEL_TYPES).describe('What it predicts or how it was tuned.'),
  artifact: z
    .strictObject({
      uri: z.string().min(1).max(1_024).describe('Where the file is.'),
      sha256: z
        .string()
        .regex(/^[\da-f]{64}$/, 'must be 64 hex digits')
        .describe('SHA-256 of the file, hex.'),
      bytes: z.int().min(1).describe('Size of the file.'),
      format: z.string().min(1).max(60).describe('Format of the rows.'),
    })
    .describe('The file of its weights.'),
  metrics: optional(
    freeForm.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= METRICS_BYTES_MAX, 'must not exceed 16 KB'),
  ).describe('What was measured of the model.'),
})

/** Registers a model that was made elsewhere. Nobody has measured it here, so its quality gate is `none`. */
export const registerExternal = (
  ctx: Context,
  { metrics, ...body }: z.output<typeof ModelBody>,
): Promise<Stored<Model>> =>
  retryWhenChanged(async () => {
    const facts = { id: ctx.id('mdl'), ...body, metrics: JSON.stringify(metrics ?? {}), quality_gate: 'none' as const }
    const { model, writes, transition } = await registerModel(ctx, facts)
    await ctx.table.commit([...writes, ...commitWith(ctx, [transition])], model.id)
    return { ...model, _v: 1 }
  })
