// What a new version of a node loosens, compared with the version in force, with former ones for actions that come back, and with
// actions of all nodes for addresses that it newly calls. Less strict terms for an existing action loosen; an action that is new or gone
// does not.
import { isHigher, isStricter, maxTier, type Tier } from '../../base/catalog/kinds.ts'
import type { Context } from '../../base/context.ts'
import { sortableVersion } from '../../base/lib/names.ts'
import type { Stored } from '../../base/table/entity.ts'
import { readGovernance } from '../governance/governance.ts'
import { type ActionDescription, describeActions, vouches } from '../manifests/describe.ts'
import { ofLatestNodes } from '../manifests/view.ts'
import { type LoadedVersion, loadVersion } from '../manifests/load.ts'
import { type NodeHead, versionsPartition } from '../manifests/node.ts'
import { namesOf, type ToolName, toolNames } from '../manifests/tool-names.ts'
import { declaredRoles } from '../governance/payload/declared.ts'
import type { Endpoint, Node } from '../manifests/manifest.ts'

/** What the version loosens, if the head moves to it. */
export async function looseningNow(ctx: Context, head: Stored<NodeHead>, next: Described): Promise<string[]> {
  const { node } = next
  if (ctx.space.mode === 'test' || !isNewer(node.version, head)) return []
  const [governance, latest] = await Promise.all([
    readGovernance(ctx.table, ctx.space),
    loadVersion(ctx.table, ctx.space, node.id, head.latest),
  ])
  if (!latest) throw new Error(`version ${head.latest} of ${node.id} is gone`)
  const read = (of: LoadedVersion): Described => ({
    node: of.node,
    actions: describeActions(
      { protocol_version: '1.0', node: of.node },
      { ...governance, kindIsVouched: of.stored.trusted },
    ).actions,
  })
  const was = read(latest)
  const back = await comingBack(ctx, node, latest)
  const other = head.environment !== undefined && vouches(ctx.principal) && node.environment !== head.environment
  const loosens = [
    ...looseningOfVersion(was, next),
    ...back.former.flatMap((version) => looseningOfVersion(only(read(version), back.actions), next)),
    ...back.unknown.map((action_id) => `${action_id}.history`),
    ...(other ? ['environment'] : []),
    ...(callsOther(next, was)
      ? weakerThan(next, was, strictestAt(await ofLatestNodes(ctx, async (of) => read(of))))
      : []),
  ]
  return [...new Set(loosens)]
}

/** More versions than people register by hand. Where there are more, an action that comes back counts as loosening. */
const LOOKED_AT = 200

type Back = { actions: ReadonlySet<string>; former: LoadedVersion[]; unknown: string[] }

/**
 * The actions of a new version that are missing in the latest one and are defined by another version: an action that is removed and comes
 * back would otherwise count as new. All of these versions are compared, and not only the newest: somebody could register one that never
 * comes into force. The name of an action as a tool stays reserved, so versions are read only if the name was used before.
 */
async function comingBack(
  { table, space }: Context,
  { id: node_id, endpoints }: Described['node'],
  latest: LoadedVersion,
) {
  const missing = endpoints.flatMap(({ action_id }) =>
    latest.endpoints.has(action_id) ? [] : [{ node_id, action_id }],
  )
  const names = missing.flatMap(namesOf).map((name) => ({ ...space, name }))
  const rows: ToolName[] = names.length === 0 ? [] : await table.getAll(toolNames, names)
  const reserved = new Set(rows.filter((row) => row.node_id === node_id).map(({ action_id }) => action_id))
  const actions = new Set(missing.map(({ action_id }) => action_id).filter((action_id) => reserved.has(action_id)))
  const back: Back = { actions, former: [], unknown: [] }
  if (actions.size === 0) return back
  const keys = await table.keys({ pk: versionsPartition(space, node_id), limit: LOOKED_AT })
  if (keys.length === LOOKED_AT) back.unknown.push(...actions)
  for (const { sort } of keys) {
    const version = await loadVersion(table, space, node_id, sort.split('.').map(Number).join('.'))
    if (version && [...actions].some((action_id) => version.endpoints.has(action_id))) back.former.push(version)
  }
  return back
}

const only = ({ node, actions }: Described, ids: ReadonlySet<string>): Described => ({
  node: { ...node, endpoints: node.endpoints.filter(({ action_id }) => ids.has(action_id)) },
  actions,
})

export const isNewer = (version: string, head: NodeHead): boolean =>
  sortableVersion(version) > sortableVersion(head.latest)

const callsOther = (next: Described, was: Described): boolean => {
  const known = new Set(was.node.endpoints.map(addressOf))
  return next.node.endpoints.some((endpoint) => !known.has(addressOf(endpoint)))
}

/** The strictest tier of each address that an action is registered for. */
function strictestAt(all: readonly Described[]): Map<string, Tier> {
  const strictest = new Map<string, Tier>()
  for (const { node, actions } of all)
    for (const [index, endpoint] of node.endpoints.entries()) {
      const address = addressOf(endpoint)
      if (address !== undefined) strictest.set(address, maxTier(strictest.get(address), actions[index]?.tier))
    }
  return strictest
}

/** A version with how each of its actions is classified. */
type Described = { node: Node; actions: readonly ActionDescription[] }

/** The members by which a version may let a held action pass, or send it elsewhere, as `<action_id>.<member>`. Pure. */
const looseningOfVersion = (was: Described, next: Described): string[] =>
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

/**
 * Whether an action goes to another origin or connection, or no longer anywhere. Versions of before may not say the host of a connection.
 */
function isElsewhere(was: Endpoint['target'], next: Endpoint['target']): boolean {
  if (was === undefined) return false
  if (was.type === 'http') return next?.type !== 'http' || new URL(was.url).origin !== new URL(next.url).origin
  const isOther = was.host !== undefined && next?.type === 'connection' && next.host !== was.host
  return next?.type !== 'connection' || next.connector_id !== was.connector_id || isOther
}

/** The method and address that a target is called with, without what differs from call to call. */
function addressOf({ target }: Endpoint): string | undefined {
  if (target?.type !== 'http') return undefined
  const { origin, pathname } = new URL(target.url)
  return `${target.method ?? 'POST'} ${origin}${pathname}`
}

/** Actions that newly call an address for which a stricter action is registered, as `<action_id>.address`. */
const weakerThan = (next: Described, was: Described | undefined, stricter: ReadonlyMap<string, Tier>): string[] =>
  next.node.endpoints.flatMap((endpoint) => {
    const address = addressOf(endpoint)
    const before = was?.node.endpoints.find(({ action_id }) => action_id === endpoint.action_id)
    if (address === undefined || (before && addressOf(before) === address)) return []
    const known = stricter.get(address)
    return known && isStricter(known, described(next, endpoint).tier) ? [`${endpoint.action_id}.address`] : []
  })
