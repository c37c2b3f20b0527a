// Reserves the names of a node's actions as tools when it is registered, and moves a name to another action or gives it back.
// Registration gives a name to the action that comes first and never takes it away, so a person has the last word on which action agents
// reach by it.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict, invalid, notFound } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { findAction, loadAction } from './load.ts'
import { type NamedAction, namesOf, TOOL_NAME, type ToolName, toolNames } from './tool-names.ts'
import type { Node } from './manifest.ts'

type Assignment = NamedAction & { name: string }

/**
 * Gives the name to the action, which has it alone from then on. The action that had it gets the next of its own names in the same
 * commit. 404 for a name that nobody has, and for an unknown node or action; 422 for a name that the action cannot have. The names that
 * an action can have follow from its node and id, never from the caller. After a crash either all of it is stored or nothing; a second
 * call for the same action changes nothing and says `repeated`.
 */
export async function assignName(ctx: Context, { name, ...action }: Assignment): Promise<{ repeated: boolean }> {
  await assignedName(ctx, name)
  await loadAction(ctx.table, ctx.space, action.node_id, action.action_id)
  const possible = namesOf(action)
  if (!possible.includes(name)) throw invalid(['action_id'], `can only be named ${possible.join(', ')}`)
  return retryWhenChanged(() => move(ctx, name, action))
}

/** 404 for a name that nobody has; 409 while its action exists, which would be without a name. */
export async function releaseName(ctx: Context, name: string): Promise<void> {
  const was = await assignedName(ctx, name)
  if (await findAction(ctx.table, ctx.space, was.node_id, was.action_id))
    throw conflict('The action of this name still exists. Give the name to another action instead.')
  await ctx.table.commit([removal(was), ...announced(ctx, name, was, undefined)], name)
}

async function assignedName({ table, space }: Context, name: string): Promise<Stored<ToolName>> {
  const row = TOOL_NAME.test(name) ? await table.get(toolNames, { ...space, name }) : undefined
  if (!row) throw notFound('tool')
  return row
}

const isSame = (one: NamedAction, other: NamedAction) =>
  one.node_id === other.node_id && one.action_id === other.action_id

async function move(ctx: Context, name: string, action: NamedAction): Promise<{ repeated: boolean }> {
  const own = await rowsOf(ctx, namesOf(action))
  const before = own.get(name)
  if (!before) throw notFound('tool')
  if (isSame(before, action)) return { repeated: true }
  const next = { ...ctx.space, ...action, name }
  const former = [...own.values()].filter((row) => isSame(row, action))
  await ctx.table.commit(
    [
      toolNames.replace(next, before, new ChangedMeanwhile()),
      ...former.map(removal),
      ...(await renamed(ctx, before)),
      ...announced(ctx, name, before, action),
    ],
    name,
  )
  return { repeated: false }
}

/** The action that loses its name keeps one. */
async function renamed(ctx: Context, { name: lost, node_id, action_id }: ToolName): Promise<Write[]> {
  const action = { node_id, action_id }
  const rows = await rowsOf(ctx, namesOf(action))
  if ([...rows.values()].some((row) => row.name !== lost && isSame(row, action))) return []
  const free = namesOf(action).find((name) => !rows.has(name))
  if (free === undefined) throw conflict('All other names of the action that has this name are taken.')
  return [toolNames.insert({ ...ctx.space, ...action, name: free }, new ChangedMeanwhile())]
}

async function rowsOf({ table, space }: Context, names: readonly string[]): Promise<Map<string, Stored<ToolName>>> {
  const rows: Stored<ToolName>[] = await table.getAll(
    toolNames,
    names.map((name) => ({ ...space, name })),
  )
  return new Map(rows.map((row) => [row.name, row]))
}

const removal = (row: Stored<ToolName>): Write =>
  toolNames.remove(
    row,
    { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': row._v } },
    new ChangedMeanwhile(),
  )

const placeOf = ({ node_id, action_id }: NamedAction): string => `${node_id}/${action_id}`

const announced = (ctx: Context, name: string, before: NamedAction, after: NamedAction | undefined) =>
  changed(ctx, [
    {
      action: after ? 'tool_name.assigned' : 'tool_name.released',
      artifact: 'manifest.tool_name.changed',
      subject: { type: 'tool', id: name },
      changes: [{ path: 'action', before: placeOf(before), ...(after && { after: placeOf(after) }) }],
    },
  ])

const AT_ONCE = 90

/**
 * Reserves a name for each action of a node before its manifest is stored, since 200 actions are more than one transaction holds. Throws
 * 409 if all names of an action are taken. A crash leaves some names reserved; they belong to their node even if the manifest is never
 * stored, and a repeat reserves the others.
 */
export async function reserveNames(ctx: Context, { id: node_id, endpoints }: Node): Promise<void> {
  const actions = endpoints.map(({ action_id }) => ({ node_id, action_id }))
  for (let from = 0; from < actions.length; from += AT_ONCE) {
    const some = actions.slice(from, from + AT_ONCE)
    await retryWhenChanged(() => reserve(ctx, some))
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
  if (fresh.length > 0) await table.commit(fresh.map((item) => toolNames.insert(item, new ChangedMeanwhile())))
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
