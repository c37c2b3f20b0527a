// Which members of a new version of a node may let pass what its latest version holds, or send it elsewhere. Pure: what is asked less of an
// action that is there already loosens; a new action, and one that is gone, do not.
import { isHigher, isStricter, type Tier } from '../../base/catalog/kinds.ts'
import { declaredRoles } from '../governance/payload/declared.ts'
import type { ActionDescription } from './describe.ts'
import type { Endpoint, Node } from './manifest.ts'

/** A version with how each of its actions is classified. */
export type Described = { node: Node; actions: readonly ActionDescription[] }

/** As `<action_id>.<member>`. */
export const looseningOfVersion = (was: Described, next: Described): string[] =>
  next.node.endpoints.flatMap((endpoint) => {
    const before = was.node.endpoints.find(({ action_id }) => action_id === endpoint.action_id)
    if (!before) return []
    const [then, now] = [described(was, before), described(next, endpoint)]
    const members: [string, boolean][] = [
      ['tier', isStricter(then.tier, now.tier)],
      ['kind', isHigher(then.kind, now.kind)],
      ['approval_required', before.approval_required === true && endpoint.approval_required !== true],
      ['min_tier', isStricter(before.min_tier ?? 'AUTO', endpoint.min_tier ?? 'AUTO')],
      ['irreversible', before.annotations?.irreversible === true && endpoint.annotations?.irreversible !== true],
      ['input_schema', rolesOf(before).some((role) => !rolesOf(endpoint).includes(role))],
      ['undo', endpoint.undo !== undefined && !isSameUndo(endpoint, before)],
      ['target', isElsewhere(before.target, endpoint.target)],
    ]
    return members.flatMap(([member, loosens]) => (loosens ? [`${endpoint.action_id}.${member}`] : []))
  })

function described({ actions }: Described, { action_id }: Endpoint): ActionDescription {
  const found = actions.find((action) => action.action_id === action_id)
  if (!found) throw new Error(`the action ${action_id} is not described`)
  return found
}

const rolesOf = ({ input_schema }: Endpoint): string[] =>
  declaredRoles(input_schema).map(({ steps, role }) => JSON.stringify([steps, role]))

/** An undo that is the exact inverse needs no approval of its own. */
const isSameUndo = (one: Endpoint, other: Endpoint): boolean =>
  one.undo_action_id === other.undo_action_id && one.undo?.id_from === other.undo?.id_from

/** Whether an action goes to another origin or connection, or no longer anywhere. Versions of before may not say the host of a connection. */
function isElsewhere(was: Endpoint['target'], next: Endpoint['target']): boolean {
  if (was === undefined) return false
  if (was.type === 'http') return next?.type !== 'http' || new URL(was.url).origin !== new URL(next.url).origin
  const isOther = was.host !== undefined && next?.type === 'connection' && next.host !== was.host
  return next?.type !== 'connection' || next.connector_id !== was.connector_id || isOther
}

/** The method and address that a target is called with, without what differs from call to call. */
export function addressOf({ target }: Endpoint): string | undefined {
  if (target?.type !== 'http') return undefined
  const { origin, pathname } = new URL(target.url)
  return `${target.method ?? 'POST'} ${origin}${pathname}`
}

/** Actions that newly call an address for which a stricter action is registered, as `<action_id>.address`. */
export const weakerThan = (
  next: Described,
  was: Described | undefined,
  stricter: ReadonlyMap<string, Tier>,
): string[] =>
  next.node.endpoints.flatMap((endpoint) => {
    const address = addressOf(endpoint)
    const before = was?.node.endpoints.find(({ action_id }) => action_id === endpoint.action_id)
    if (address === undefined || (before && addressOf(before) === address)) return []
    const known = stricter.get(address)
    return known && isStricter(known, described(next, endpoint).tier) ? [`${endpoint.action_id}.address`] : []
  })
