// Registers a model that was made elsewhere.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { freeForm, optional } from '../../base/wire/fields.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { type Model, MODEL_TYPES, SLOT } from './model.ts'
import { registerModel } from './register-model.ts'

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

/** Nobody has measured it here, so its quality gate is `none`. */
export const registerExternal = (
  ctx: Context,
  { metrics, ...body }: z.output<typeof ModelBody>,
): Promise<Stored<Model>> =>
  retryWhenOvertaken(async () => {
    const facts = { id: ctx.id('mdl'), ...body, metrics: JSON.stringify(metrics ?? {}), quality_gate: 'none' as const }
    const { model, writes, transition } = await registerModel(ctx, facts)
    await ctx.table.commit([...writes, ...recorded(ctx, [transition])], model.id)
    return { ...model, _v: 1 }
  })
