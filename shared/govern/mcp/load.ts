// The reads of a message, which start together with the check of the credential: the inputs of a call, or a page of names of tools.
import type { Space } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'
import { spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type Inputs, loadInputs } from '../executions/inputs.ts'
import { activeGovernance, type InForce } from '../governance/governance.ts'
import type { Caller } from '../learned/learned-for.ts'
import {
  isNameOf,
  type NamedAction,
  OWN_PREFIX,
  TOOL_NAME,
  type ToolName,
  toolNames,
  toolsPartition,
} from '../manifests/tool-names.ts'
import { textAt } from '../../base/wire/parse-body.ts'
import type { Message } from './message.ts'
import { readCursor, writeCursor } from '../../base/wire/cursor.ts'

/** What the methods need; each takes its own. */
export type Loaded = {
  names?: NamesPage
  /** Of an action; absent for a tool that nobody has. */
  called?: NamedAction & { inputs: Inputs }
  governance?: InForce
}

/** A name seldom changes its owner, so the reads start with the owner that this container knows, beside the check that it still is. */
const known = memory<NamedAction>()

export async function loadMcp(
  table: Table,
  space: Space,
  { body: { method, params }, caller }: { body: Message; caller?: Caller | undefined },
): Promise<Loaded> {
  if (method === 'tools/list') return { names: await namesAfter(table, space, textAt(params, 'cursor')) }
  const name = method === 'tools/call' ? textAt(params, 'name') : undefined
  if (name === undefined || !TOOL_NAME.test(name)) return {}
  if (name.startsWith(OWN_PREFIX)) return { governance: await activeGovernance(table, space) }
  const place = `${spaceKey(space)}/${name}`
  const guess = known.get(place)
  const [action, early] = await Promise.all([
    actionNamed(table, space, name),
    guess && inputsOf(table, space, guess, caller),
  ])
  if (!action) return {}
  known.set(place, action)
  const isGuessed = guess?.node_id === action.node_id && guess.action_id === action.action_id
  const inputs = isGuessed ? early : await inputsOf(table, space, action, caller)
  return inputs ? { called: { ...action, inputs } } : {}
}

async function actionNamed(table: Table, space: Space, name: string): Promise<NamedAction | undefined> {
  const found = await table.get(toolNames, { ...space, name })
  return found && isNameOf(found) ? { node_id: found.node_id, action_id: found.action_id } : undefined
}

/** Undefined once the latest version of the node has no such action. */
async function inputsOf(table: Table, space: Space, action: NamedAction, caller: Caller | undefined) {
  try {
    return await loadInputs(table, space, { body: action, caller })
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined
    throw error
  }
}

const PAGE = 100

export type NamesPage = { names: ToolName[]; next: string | undefined }

const scopeOf = (space: Space) => ({ space, operation: 'mcp-tools', filters: {} })

/** Throws 400 for a cursor that this list has not given. */
async function namesAfter(table: Table, space: Space, cursor: string | undefined): Promise<NamesPage> {
  const after = cursor === undefined ? undefined : (await readCursor(scopeOf(space), cursor)).sort
  const found = await table.query(toolNames, { pk: toolsPartition(space), after, limit: PAGE + 1 })
  const names = found.slice(0, PAGE)
  const last = names.at(-1)
  if (found.length <= PAGE || !last) return { names, next: undefined }
  const next = await writeCursor(scopeOf(space), { group: 'tools', sort: last.name, total: 0, bounded: true })
  return { names, next }
}
