// Reserves the names of a node's actions as tools, before its manifest is stored: 200 actions are more than one transaction holds.
// A reservation belongs to its node, whatever becomes of the manifest.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Node } from './manifest.ts'
import { type NamedAction, namesOf, type ToolName, toolNames } from './tool-names.ts'

const AT_ONCE = 90

/** Throws 409 in the one case in which all names of an action are taken. */
export async function reserveNames(ctx: Context, { id: node_id, endpoints }: Node): Promise<void> {
  const actions = endpoints.map(({ action_id }) => ({ node_id, action_id }))
  for (let from = 0; from < actions.length; from += AT_ONCE) {
    const some = actions.slice(from, from + AT_ONCE)
    await retryWhenOvertaken(() => reserve(ctx, some))
  }
}

async function reserve({ table, space }: Context, actions: readonly NamedAction[]): Promise<void> {
  const ids = actions.flatMap(namesOf).map((name) => ({ ...space, name }))
  const owned: ToolName[] = await table.getAll(toolNames, ids)
  const taken = new Map(owned.map((item) => [item.name, item]))
  const fresh = actions.flatMap((action) => {
    const item = freeName(action, taken)
    if (!item) return []
    const reserved = { ...space, ...item }
    taken.set(reserved.name, reserved)
    return [reserved]
  })
  if (fresh.length > 0) await table.commit(fresh.map((item) => toolNames.insert(item, new Overtaken())))
}

/** Undefined for an action that has a name already. */
function freeName(action: NamedAction, taken: ReadonlyMap<string, ToolName>) {
  for (const name of namesOf(action)) {
    const owner = taken.get(name)
    if (!owner) return { ...action, name }
    if (owner.node_id === action.node_id && owner.action_id === action.action_id) return undefined
  }
  throw conflict(`All names of ${action.action_id} as a tool are taken. Name the action differently.`)
}
