// Whether a model answers here as it did when it was measured.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { type Linear, logit, sigmoid } from '../../base/scorer/score.ts'
import { readModelFile } from '../../govern/learned/load-model.ts'
import type { Model } from './model.ts'

const TOLERANCE = 0.01
const WITHIN_MS = 10_000

/** A test row and what the model said of it; the first hundred have their features. */
const Row = z.object({
  p: z.number(),
  features: z.object({ indices: z.array(z.int()), values: z.array(z.number()) }).optional(),
})
type Row = z.output<typeof Row>

/** None for a model that was made elsewhere. Throws when the file is not the one that the training stored. */
export async function storedRows(ctx: Context, { predictions }: Pick<Model, 'predictions'>): Promise<Row[]> {
  if (!predictions) return []
  const text = await readModelFile(ctx.space, ctx.now(), predictions.uri, WITHIN_MS)
  if (sha256Hex(text) !== predictions.sha256) throw new Error('the stored predictions were changed')
  return text.split('\n').flatMap((line) => (line === '' ? [] : Row.parse(JSON.parse(line))))
}

/** The problem, if there is one: some stored row has another probability than the training recorded. */
export function selfTest(
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
