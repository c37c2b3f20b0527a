// Whose conduct an execution adds to.

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
 * hold. Without one: the credential, and what it does in the name of the agent that it names. A person alone has no conduct.
 */
export function actorsOf({ type, id, agent_id, agent_bound }: Requester): string[] {
  const prefix = PREFIX[type]
  if (prefix === undefined) return []
  if (agent_bound && agent_id !== undefined) return [`agent:${agent_id}`]
  const own = `${prefix}:${id}`
  const named = agent_id === undefined || agent_id === id ? [] : [`${own}/${agent_id}`]
  return type === 'user' ? named : [own, ...named]
}
