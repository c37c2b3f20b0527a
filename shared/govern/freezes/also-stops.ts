// The keys and clients that a freeze stops without naming them: who is bound to no agent may say any name, which holds for every
// client that acts for people, and who acts for a frozen person is frozen with them.
import type { Context } from '../../base/context.ts'
import { apiKeys, keysPartition, statusOf } from '../../identity/access/api-key.ts'
import { personsOf } from '../../identity/access/permissions.ts'
import {
  clientsPartition,
  documentClientsPartition,
  type OAuthClient,
  oauthClients,
} from '../../identity/oauth/clients/client.ts'
import { frozenBy } from '../governance/freeze.ts'
import type { Freeze } from './freeze.ts'

export type Caller = {
  type: 'api_key' | 'client'
  id: string
  name: string
  persons: readonly string[]
  agent_id?: string | undefined
  /** A client that acts for people, for which no agent is proven. */
  for_people?: boolean
}

/** The active keys and clients of the mode. */
export async function readCallers(ctx: Context): Promise<Caller[]> {
  const { table, space } = ctx
  const { tenant_id, mode } = space
  const [keys, ...clients] = await Promise.all([
    table.query(apiKeys, { pk: keysPartition(tenant_id), index: 'gsi1' }),
    table.query(oauthClients, { pk: clientsPartition(tenant_id), index: 'gsi1' }),
    table.query(oauthClients, { pk: documentClientsPartition(tenant_id), index: 'gsi1' }),
  ])
  const at = ctx.now()
  return [
    ...keys
      .filter((key) => key.kind === mode && statusOf(key, at) === 'active')
      .map((key): Caller => ({ ...key, type: 'api_key', persons: personsOf(key) })),
    ...clients
      .flat()
      .filter((client) => client.status === 'active' && client.mode === mode)
      .map(callerOf),
  ]
}

const callerOf = (client: OAuthClient): Caller => ({
  ...client,
  id: client.client_id,
  type: 'client',
  persons: personsOf(client),
  for_people: client.grant_types.some((one) => one !== 'client_credentials'),
})

/** Freezes of a tenant, node or kind are about actions, whoever calls. */
export function alsoStopped(freeze: Freeze, callers: readonly Caller[]) {
  const { agents, principals } = freeze.scope
  if (!agents && !principals) return []
  return callers.filter((caller) => isStopped(freeze, caller)).map(({ type, id, name }) => ({ type, id, name }))
}

function isStopped(freeze: Freeze, { type, id, persons, agent_id, for_people }: Caller): boolean {
  const { agents = [], principals = [] } = freeze.scope
  if (principals.includes(id) || (agent_id !== undefined && agents.includes(agent_id))) return false
  const bound = agent_id === undefined || for_people ? {} : { agent_id, agent_bound: true as const }
  const action = { node_id: '', kind: 'unknown' as const, requester: { type, id, persons }, ...bound }
  return frozenBy([freeze], action).length > 0
}
