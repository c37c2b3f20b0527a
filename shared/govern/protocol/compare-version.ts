// What a new version of a node loosens, compared with the version in force, with former ones for actions that come back, and with
// actions of all nodes for addresses that it newly calls.
import { maxTier, type Tier } from '../../base/catalog/kinds.ts'
import type { Context } from '../../base/context.ts'
import { sortableVersion } from '../../base/lib/names.ts'
import type { Stored } from '../../base/table/entity.ts'
import { readGovernance } from '../governance/governance.ts'
import { describeActions, vouches } from '../manifests/describe.ts'
import { ofLatestNodes } from '../manifests/view.ts'
import { type LoadedVersion, loadVersion } from '../manifests/load.ts'
import { addressOf, type Described, looseningOfVersion, weakerThan } from '../manifests/loosening.ts'
import { type NodeHead, versionsPartition } from '../manifests/node.ts'
import { namesOf, type ToolName, toolNames } from '../manifests/tool-names.ts'

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
 * The actions of a new version that the latest one does not define and another version does: what is taken out and comes back would
 * otherwise be as new. All of these versions count, and not only the newest, because who registers one that never comes into force could
 * choose it. The name of an action as a tool stays reserved, so versions are read only where one was there.
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
