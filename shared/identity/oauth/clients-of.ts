import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { clientsPartition, type OAuthClient, oauthClients } from './client.ts'

/** `own` end with the person. `others` stay: the person made them for the tenant, or has seen their secret. */
export type ClientsOfPerson = { own: Stored<OAuthClient>[]; others: Stored<OAuthClient>[] }

export async function clientsOf({ table, space }: Context, user_id: string): Promise<ClientsOfPerson> {
  const all = await table.query(oauthClients, { pk: clientsPartition(space.tenant_id), index: 'gsi1' })
  const knows = ({ created_by, seen_by }: OAuthClient) => created_by === user_id || seen_by.includes(user_id)
  const isOwn = ({ created_by, service }: OAuthClient) => created_by === user_id && !service
  return { own: all.filter(isOwn), others: all.filter((client) => !isOwn(client) && knows(client)) }
}
