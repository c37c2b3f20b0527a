// Whether a model answers here as it did when it was measured.
import type { Linear } from '../../base/scorer/score.ts'
import { score } from '../../base/scorer/score.ts'
import type { Model } from './model.ts'

const TOLERANCE = 0.01

/** The problem, if there is one: some stored row has another probability than the training recorded. */
export function selfTest(model: Linear & { type: string }, { type, probes = [] }: Model): Model['error'] {
  if (model.type !== type) return { code: 'wrong_type', message: `the file holds a model of type ${model.type}` }
  const off = probes.filter(({ context, payload, probability }) => {
    const now = score(model, context, JSON.parse(payload))
    return !(Math.abs(now - probability) <= TOLERANCE)
  })
  if (off.length === 0) return undefined
  const message = `${off.length} of ${probes.length} stored rows have another probability than in training`
  return { code: 'self_test_failed', message }
}
