// Whether a manifest can be used, and how each of its actions will be classified under the tenant's present settings and words.
// Registration and validation share it.
import { classify } from '../governance/words/classify.ts'
import type { Reason } from '../governance/payload/declared.ts'
import { isHigher, type Kind, KINDS, type Tier } from '../../base/catalog/kinds.ts'
import { type Governance, readGovernance } from '../governance/governance.ts'
import type { Endpoint, Manifest, Node } from './manifest.ts'
import { stepsOf } from '../governance/conditions/pointer.ts'
import { tokensOf } from '../governance/words/tokens.ts'
import { Failure, type Violation } from '../../base/lib/failure.ts'
import type { Context, Principal } from '../../base/context.ts'
import { nodeHeads } from './node.ts'
import { nameViolations } from './tool-names.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'

export type ActionDescription = { action_id: string; kind: Kind; tier: Tier; floor: Tier; reasons: Reason[] }

/**
 * How each action will be classified, with warnings for the author. Throws 422 for a manifest that cannot be used. Stores nothing, and
 * takes from the caller only whether they may write policies.
 */
export async function previewActions({ table, space, principal }: Context, manifest: Manifest) {
  const [governance, head] = await Promise.all([
    readGovernance(table, space),
    table.get(nodeHeads, { ...space, node_id: manifest.node.id }),
    mustBeUsable(manifest),
  ])
  const preview = describeActions(manifest, { ...governance, kindIsVouched: vouches(principal) })
  const violations = [...nameViolations(manifest.node), ...undoViolations(manifest.node, preview.actions)]
  if (violations.length > 0) throw new Failure('invalid', violations)
  const { environment } = manifest.node
  const counts = environment === undefined || vouches(principal) || head?.environment === environment
  return counts ? preview : { ...preview, warnings: [...preview.warnings, doesNotCount(environment)] }
}

/** Whether declared kinds may loosen the classification: only when a person who may write policies registers them. */
export const vouches = ({ kind, permissions }: Principal): boolean =>
  kind === 'user' && permissions.has('policies:write')

const doesNotCount = (environment: string) =>
  `environment ${environment} does not count until a person who may write policies registers a version with it: policies that read node.environment cannot tell where the node runs, so those that tighten apply`

/** Throws a 422 with every target or input schema that cannot be used. */
async function mustBeUsable({ node }: Manifest): Promise<void> {
  const { schemaViolations } = await import('./payload-check.ts')
  const violations = await Promise.all(
    node.endpoints.map(async ({ target, input_schema }, index): Promise<Violation[]> => {
      const loc = ['body', 'manifest', 'node', 'endpoints', index]
      const refusal = target?.type === 'http' && (await refusalOfTarget(target.url))
      return [
        ...(refusal ? [{ loc: [...loc, 'target', 'url'], msg: refusal, type: 'value_error' as const }] : []),
        ...(input_schema ? schemaViolations(input_schema, [...loc, 'input_schema']) : []),
      ]
    }),
  )
  if (violations.flat().length > 0) throw new Failure('invalid', violations.flat())
}

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

/** Refuses undo actions of a kind that a person must approve, as `describeActions` reads them. */
export function undoViolations({ endpoints }: Node, actions: readonly ActionDescription[]): Violation[] {
  const kinds = new Map(actions.map(({ action_id, kind }) => [action_id, kind]))
  return endpoints.flatMap(({ undo_action_id = '', undo }, index): Violation[] => {
    const kind = kinds.get(undo_action_id)
    if (!kind || undo || KINDS[kind].tier !== 'HARD') return []
    const loc = ['body', 'manifest', 'node', 'endpoints', index, 'undo_action_id']
    return [{ loc, msg: undoRefusal(undo_action_id, kind), type: 'value_error' }]
  })
}

const undoRefusal = (name: string, kind: string) =>
  `${name} is read as ${kind}, which a person must approve, so it cannot undo anything by itself. Name a milder action, or ` +
  'mark the two as exact inverses with undo {exact_inverse: true, id_from}, or leave undo_action_id out.'

type Problem = { path: string[]; message: string }

/** Pairs of inverse words. */
const INVERSES = [
  ['create', 'delete'],
  ['add', 'remove'],
  ['enable', 'disable'],
  ['grant', 'revoke'],
  ['lock', 'unlock'],
  ['open', 'close'],
  ['start', 'stop'],
  ['schedule', 'cancel'],
  ['attach', 'detach'],
].map((pair) => pair.toSorted().join())

/** Which side of the object an inverse names: `add_user_to_team`, `remove_user_from_team`. */
const SIDES = ['to', 'from']

/** Whether two names differ by a pair of inverse words alone. */
export function areInverse(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => tokensOf(name).filter((word) => !SIDES.includes(word)))
  if (!a || !b || a.length !== b.length) return false
  const [differing, ...more] = a.flatMap((word, i) => (word === b[i] ? [] : [[word, b[i] ?? ''].toSorted().join()]))
  return differing !== undefined && more.length === 0 && INVERSES.includes(differing)
}

/**
 * What a pair that is marked as exact inverses lacks. An undo runs within 30 seconds without approval, so it must have a mild kind, or be
 * the exact inverse of the action and apply only to the thing that the target says it made.
 */
export function* inverseProblems({ action_id, undo_action_id, undo, target }: Endpoint): Generator<Problem> {
  if (!undo) return
  if (undo_action_id === undefined) {
    yield { path: ['undo'], message: 'goes with undo_action_id' }
  } else if (!areInverse(action_id, undo_action_id)) {
    const message = `${action_id} and ${undo_action_id} are not named as inverses, as create_x and delete_x are`
    yield { path: ['undo', 'exact_inverse'], message }
  }
  if (!target) yield { path: ['undo'], message: 'needs a target, whose output names what was made' }
  const steps = stepsOf(undo.id_from)
  if (!steps || steps.includes('*')) yield { path: ['undo', 'id_from'], message: 'must be a JSON pointer without *' }
}
