// What a person has made or granted for OAuth, as lists show it. What was made within the last second may be missing.
import type { Context } from '../context.ts'
import type { Stored } from '../table/entity.ts'
import { accountPartition, type Artefact, artefacts } from './artefact.ts'
import { clientsPartition, type OAuthClient, oauthClients } from './client.ts'
import { INITIAL } from './registration-token.ts'

/** `own` end with the person; the others only know them: made for the tenant, or with a secret that they have seen. */
export type ClientsOfPerson = { own: Stored<OAuthClient>[]; others: Stored<OAuthClient>[] }

export async function clientsOf({ table, space }: Context, user_id: string): Promise<ClientsOfPerson> {
  const all = await table.query(oauthClients, { pk: clientsPartition(space.tenant_id), index: 'gsi1' })
  const knows = ({ created_by, seen_by }: OAuthClient) => created_by === user_id || seen_by.includes(user_id)
  const isOwn = ({ created_by, service }: OAuthClient) => created_by === user_id && !service
  return { own: all.filter(isOwn), others: all.filter((client) => !isOwn(client) && knows(client)) }
}

/** Those that can still register a client. */
export const registrationTokensOf = (ctx: Context, user_id: string): Promise<Artefact[]> =>
  unusedOf(ctx, user_id, INITIAL)

export const grantsOf = (ctx: Context, user_id: string): Promise<Artefact[]> => unusedOf(ctx, user_id, 'Grant')

async function unusedOf(ctx: Context, user_id: string, model: string): Promise<Artefact[]> {
  const found = await ctx.table.query(artefacts, { pk: accountPartition(user_id), index: 'gsi1', prefix: `${model}#` })
  return found.filter(({ used_at, exp }) => used_at === undefined && exp * 1_000 > ctx.now())
}
