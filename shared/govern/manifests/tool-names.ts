// Names of actions as tools of agents. A name belongs to the action that took it first, so that no node can put its own action
// behind a name that agents know.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import type { Violation } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Node } from './manifest.ts'

/** What the APIs of models accept as the name of a function. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** The prefix of the service's own tools. */
export const OWN_PREFIX = 'countersign_'

const LONGEST = 64

export const ToolName = z.object({ ...spaceMembers, name: z.string(), node_id: z.string(), action_id: z.string() })
export type ToolName = z.output<typeof ToolName>

export type NamedAction = Pick<ToolName, 'node_id' | 'action_id'>

export const toolNames = bound({
  name: 'TOOL',
  schema: ToolName,
  key: (of: Space & { name: string }) => ({ pk: toolsPartition(of), sk: of.name }),
})

export const toolsPartition = (space: Space): string => spaceKey(space, 'TOOLS')

/** The short name: the last part of the node's id, and the action. */
const plainName = ({ node_id, action_id }: NamedAction): string =>
  `${node_id.split('.')[2] ?? ''}_${action_id}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')

/**
 * The names that an action may have, the best first. The others end with a part of a hash, for names that are too long or
 * taken.
 */
export function namesOf(action: NamedAction): string[] {
  const plain = plainName(action)
  const hash = sha256Hex(`${action.node_id}/${action.action_id}`)
  const hashed = [6, 12, 24].map((digits) => `${plain.slice(0, LONGEST - 1 - digits)}_${hash.slice(0, digits)}`)
  return plain.length <= LONGEST ? [plain, ...hashed] : hashed
}

/** A row that names an action which cannot have this name was not written by the service. */
export const isNameOf = ({ name, ...action }: ToolName): boolean => namesOf(action).includes(name)

/** A 422 for a node whose tools would look like those of the service itself. */
export function nameViolations({ id: node_id, endpoints }: Node): Violation[] {
  const looksOwn = endpoints.some(({ action_id }) =>
    plainName({ node_id, action_id }).toLowerCase().startsWith(OWN_PREFIX),
  )
  if (!looksOwn) return []
  const msg = `must not give its actions names as tools that begin with ${OWN_PREFIX}`
  return [{ loc: ['body', 'manifest', 'node', 'id'], msg, type: 'value_error' }]
}
