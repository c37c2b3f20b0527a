// Conduct: what became of the actions of an agent, key or client. Totals since its first action, and the last 31 days. Only
// the relay writes it. Also: which actor an execution counts for.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import type { CONDUCT } from '../../base/catalog/measure-words.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const DAYS_KEPT = 31

const count = z.int()

const Day = z.object({
  /** `yyyy-mm-dd`, UTC. */
  day: z.string(),
  ok: count,
  failed: count,
  undone: count,
  rejected: count,
  violations: count,
})
export type Day = z.output<typeof Day>

export const Conduct = z.lazy(() =>
  z.object({
    ...spaceMembers,
    actor: z.string(),
    first_at: z.string(),
    executions: count,
    approvals: count,
    rejected: count,
    undone: count,
    failed: count,
    violations: count,
    /** Oldest first; days without any are absent. */
    days: z.array(Day),
  }),
)
export type Conduct = z.output<typeof Conduct>

export type Conducted = (typeof CONDUCT)[number]

/** A request may name any text as its agent, so the actor is encoded. */
export const conducts = bound({
  name: 'CONDUCT',
  schema: Conduct,
  key: (of: Space & { actor: string }) => ({
    pk: spaceKey(of, 'CONDUCT', encodeURIComponent(of.actor.toWellFormed())),
    sk: 'CONDUCT',
  }),
})

export type Requester = {
  type: string
  id: string
  /** The agent bound to the credential, else the one that the request names. */
  agent_id?: string | undefined
  agent_bound?: boolean | undefined
}

const PREFIX: Record<string, string> = { api_key: 'key', client: 'client', agent: 'agent', user: 'user' }

/** The credential or person of a request, which no agent can be named like. */
export const actorOf = ({ type, id }: Pick<Requester, 'type' | 'id'>): string => `${PREFIX[type] ?? type}:${id}`

/** Agents of this service, for messages of connectors. */
const SERVICE_AGENTS = 'connector'

/**
 * Whether a name has the form of an actor's. An agent of a credential must not have it, because it would share the counters of
 * another credential or of this service.
 */
export const isActorName = (name: string): boolean =>
  [...Object.values(PREFIX), SERVICE_AGENTS].some((prefix) => name.startsWith(`${prefix}:`))

/**
 * The agent that is bound to the credential, so that nobody makes or ruins the trust of an agent whose credential they do not
 * hold. Without one: the credential, and the pair of credential and named agent. A person alone has no conduct.
 */
export function actorsOf({ type, id, agent_id, agent_bound }: Requester): string[] {
  const prefix = PREFIX[type]
  if (prefix === undefined) return []
  if (agent_bound && agent_id !== undefined) return [`agent:${agent_id}`]
  const own = `${prefix}:${id}`
  const named = agent_id === undefined || agent_id === id ? [] : [`${own}/${agent_id}`]
  return type === 'user' ? named : [own, ...named]
}
