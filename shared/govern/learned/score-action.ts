// Asks a model of approvals about an action. Loaded with the first model.
import type { Context } from '../../base/context.ts'
import { score } from '../../base/scorer/weights-file.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { Redactor } from '../governance/pii/redact.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { PlacedModel } from './learned.ts'
import { loadModel } from './load-model.ts'

const DECIMALS = 10_000

/** The probability that people approve the action; undefined when the model cannot be read. The payload is redacted as in training. */
export async function scoreAction(
  { space, clock }: Context,
  placed: PlacedModel,
  { action: { node, endpoint }, payload }: { action: LoadedAction; payload: JsonObject },
): Promise<number | undefined> {
  const model = await loadModel(space, clock, placed)
  if (!model) return undefined
  const probability = score(model, `${node.id}/${endpoint.action_id}`, new Redactor().redactMembers(payload))
  return Math.round(probability * DECIMALS) / DECIMALS
}
