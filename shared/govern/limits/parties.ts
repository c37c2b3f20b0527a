// Whose counters an execution adds to.
import { actorOf } from '../../ledger/conduct/conduct.ts'
import type { Parties } from './counters.ts'

export type Requester = {
  type: string
  id: string
  agent_id?: string | undefined
  agent_bound?: boolean | undefined
  /** The first is accountable for the credential. */
  persons: readonly string[]
}

/**
 * `hosts`: of all recipients, undefined if one of them cannot be read. The list of public suffixes is large, so it is loaded only for
 * limits that need it.
 */
export async function partiesOf(
  requester: Requester,
  hosts: readonly string[] | undefined,
  byDomain: boolean,
): Promise<Parties> {
  const { id, persons, agent_id, agent_bound } = requester
  return {
    agent: agent_bound && agent_id !== undefined ? agent_id : actorOf(requester),
    principal: id,
    person: persons[0] ?? id,
    recipient_domains: byDomain ? hosts && (await registrable(hosts)) : [],
  }
}

/** The domains that somebody can own; an address of a network is its own. */
async function registrable(hosts: readonly string[]): Promise<string[]> {
  if (hosts.length === 0) return []
  const { getDomain } = await import('tldts')
  return [...new Set(hosts.map((host) => getDomain(host) ?? host))]
}
