// Describes to the author of a manifest how each action will be classified.
import { classify } from '../governance/words/classify.ts'
import type { Reason } from '../governance/payload/declared.ts'
import { isHigher, KINDS, type Kind, type Tier } from '../../base/catalog/kinds.ts'
import type { Governance } from '../governance/governance.ts'
import type { Endpoint, Manifest } from './manifest.ts'

export type ActionDescription = { action_id: string; kind: Kind; tier: Tier; floor: Tier; reasons: Reason[] }

/** Results of the classification that the author may not expect. */
function* warningsOf(endpoint: Endpoint, { kind, tier, reasons }: ActionDescription): Generator<string> {
  const { action_id, annotations, undo_action_id } = endpoint
  if (reasons.some(({ signal }) => signal === 'unknown_verb')) {
    yield `${action_id}: no known verb begins or ends the name or a part of it, so it is read as ${kind}`
  }
  if (endpoint.kind && isHigher(kind, endpoint.kind)) {
    yield `${action_id}: kind ${endpoint.kind} is looser than what is read (${kind}) and has no effect`
  }
  if (annotations?.readOnlyHint && KINDS[kind].tier !== 'AUTO') {
    yield `${action_id}: readOnlyHint is not believed, because the action is read as ${kind}`
  }
  if (tier === 'SOFT' && endpoint.target && undo_action_id === undefined) {
    yield `${action_id}: undo within 30 seconds calls nothing, because undo_action_id is missing`
  }
}

/** An undo whose action asks for approval does not happen within the window. */
const undoWarnings = (endpoints: readonly Endpoint[], actions: readonly ActionDescription[]): string[] =>
  endpoints.flatMap(({ action_id, undo_action_id, undo }) => {
    const asks = endpoints.find((other) => other.action_id === undo_action_id)
    const needsApproval = asks?.approval_required || asks?.min_tier === 'HARD'
    const waits = undo
      ? needsApproval
      : actions.some((other) => other.action_id === undo_action_id && other.tier === 'HARD')
    return waits ? [`${action_id}: its undo waits for approval, because ${undo_action_id} asks for one`] : []
  })

/** What the tenant says of it. `kindIsVouched`: a person with `policies:write` registers it. */
export type Reader = Pick<Governance, 'settings' | 'lexicon'> & { kindIsVouched?: boolean }

/** One description per action, in order. */
export function describeActions(
  { node }: Manifest,
  { settings, lexicon, kindIsVouched = false }: Reader,
): { actions: ActionDescription[]; warnings: string[] } {
  const actions = node.endpoints.map((endpoint) => {
    const { kind, tier, floor, reasons } = classify({ node, endpoint, settings, kindIsVouched, lexicon })
    return { action_id: endpoint.action_id, kind, tier, floor, reasons }
  })
  const warnings = node.endpoints.flatMap((endpoint, i) => {
    const action = actions[i]
    return action ? [...warningsOf(endpoint, action)] : []
  })
  return { actions, warnings: [...warnings, ...undoWarnings(node.endpoints, actions)] }
}
