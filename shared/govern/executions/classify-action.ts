import type { Classification } from '../governance/words/classify.ts'
import type { Governance } from '../governance/governance.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { RUNNER_NODE_ID } from '../manifests/built-in.ts'
import type { LoadedAction } from '../manifests/load.ts'

/**
 * An agent's command is classified by its text, every other action by its manifest and payload. An erased payload gives no
 * signals. The classifier is loaded with the first action, because it is large.
 */
export async function classifyAction(
  action: LoadedAction,
  payload: JsonObject | null,
  { settings, lexicon }: Pick<Governance, 'settings' | 'lexicon'>,
  trust?: number,
): Promise<Classification> {
  const { classify, classifyCommand } = await import('../governance/words/classify.ts')
  const { node, endpoint, trusted } = action
  if (node.id === RUNNER_NODE_ID && typeof payload?.command === 'string') {
    return classifyCommand({ command: payload.command, payload, endpoint, settings, trust, lexicon })
  }
  return classify({ node, endpoint, payload: payload ?? undefined, settings, kindIsVouched: trusted, trust, lexicon })
}
