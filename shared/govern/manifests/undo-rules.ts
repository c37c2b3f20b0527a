// Rules for undo actions. An undo runs within 30 seconds without approval, so it must have a mild kind, or be the exact inverse
// of the action and apply only to what the target says it made.
import { KINDS } from '../../base/catalog/kinds.ts'
import { stepsOf } from '../governance/conditions/pointer.ts'
import { tokensOf } from '../governance/words/tokens.ts'
import type { Violation } from '../../base/lib/failure.ts'
import type { ActionDescription } from './describe.ts'
import type { Endpoint, Node } from './manifest.ts'

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

/** What a pair that is marked as exact inverses lacks. */
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

/** Refuses undo actions of a kind that a person must approve, as `describeActions` reads them. */
export function undoViolations({ endpoints }: Node, actions: readonly ActionDescription[]): Violation[] {
  const kinds = new Map(actions.map(({ action_id, kind }) => [action_id, kind]))
  return endpoints.flatMap(({ undo_action_id = '', undo }, index): Violation[] => {
    const kind = kinds.get(undo_action_id)
    if (!kind || undo || KINDS[kind].tier !== 'HARD') return []
    const loc = ['body', 'manifest', 'node', 'endpoints', index, 'undo_action_id']
    return [{ loc, msg: refusal(undo_action_id, kind), type: 'value_error' }]
  })
}

const refusal = (name: string, kind: string) =>
  `${name} is read as ${kind}, which a person must approve, so it cannot undo anything by itself. Name a milder action, or ` +
  'mark the two as exact inverses with undo {exact_inverse: true, id_from}, or leave undo_action_id out.'
