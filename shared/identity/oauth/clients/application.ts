// What people of a tenant have allowed OAuth clients. An application is a client with all grants of one person to it; a consent is
// one such grant. Each sign-in in another browser gives a grant of its own.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { originOf } from '../../../base/lib/redirect-uri.ts'
import {
  accountPartition,
  type Artefact,
  artefacts,
  consentsPartition,
  type Named,
  storedId,
} from '../../artefacts/artefact.ts'
import { findClient, OAuthClient, oauthClients } from './client.ts'
import { grantsOf } from '../../artefacts/store.ts'
import type { ListSource } from '../../../base/wire/pagination.ts'

export const ApplicationView = z.object({
  client_id: z.string().describe('Id of the OAuth client.'),
  name: z.string().describe('What the application calls itself. Nobody has checked it.'),
  hosts: z
    .array(z.string())
    .describe('The host of the document that describes it, or the origins to which its codes go.'),
  ...OAuthClient.pick({ source: true, status: true }).shape,
  scopes: z.array(z.string()).describe('What the person has allowed it.'),
  resources: z.array(z.string()).describe('What it may use: the API, or the tools of the tenant.'),
  connected_at: z.string().nullable().describe('When it was connected.'),
  last_used_at: z
    .string()
    .nullable()
    .describe('When tokens were last issued to it, to a quarter of an hour; null before the first.'),
  expires_at: z.string().describe('When it expires.'),
})
export type ApplicationView = z.output<typeof ApplicationView>

export type Application = { client: OAuthClient; grants: readonly Artefact[] }

/** The applications of a person, by id. Grants to a client that was deleted have ended with it. */
export async function applicationsOf(ctx: Context, user_id: string): Promise<Application[]> {
  const { tenant_id } = ctx.space
  const grants = Map.groupBy(await grantsOf(ctx, user_id), ({ client_id = '' }) => storedId(client_id, tenant_id))
  const known = await Promise.all(
    [...grants].map(async ([client_id, given]) => ({ client: await findClient(ctx.table, client_id), grants: given })),
  )
  return known
    .flatMap(({ client, grants: given }) => (client?.tenant_id === tenant_id ? [{ client, grants: given }] : []))
    .toSorted((a, b) => (a.client.client_id < b.client.client_id ? -1 : 1))
}

export function applicationView({ client, grants }: Application): ApplicationView {
  const { client_id, name, source, status, document, redirect_uris } = client
  const times = (of: 'given_at' | 'last_used_at') => grants.flatMap(({ [of]: at }) => (at === undefined ? [] : [at]))
  const all = (of: 'scopes' | 'resources') => [...new Set(grants.flatMap((grant) => grant[of] ?? []))].toSorted()
  const [given, used] = [times('given_at'), times('last_used_at')]
  return {
    client_id,
    name,
    hosts: document === undefined ? [...new Set(redirect_uris.map(originOf))] : [new URL(document).host],
    source,
    status,
    scopes: all('scopes'),
    resources: all('resources'),
    connected_at: given.length === 0 ? null : instant(Math.min(...given)),
    last_used_at: used.length === 0 ? null : instant(Math.max(...used)),
    expires_at: instant(Math.max(...grants.map(({ exp }) => exp))),
  }
}

const instant = (seconds: number) => iso(seconds * 1_000)
const instantOrNull = (seconds: number | undefined) => (seconds === undefined ? null : instant(seconds))

/** One consent: of one person to one client, in one browser or device. */
export const ConsentView = z.object({
  id: z.string().describe('Id of the consent, as among the credentials of the person.'),
  client_id: z.string().describe('Id of the OAuth client.'),
  /** What the client calls itself. Nobody has checked it. */
  client_name: z.string().nullable().describe('What the client calls itself; null when it was deleted.'),
  user_id: z.string().describe('The person who agreed.'),
  scopes: z.array(z.string()).describe('What the person agreed to.'),
  resources: z.array(z.string()).describe('What the tokens are for: the API, or the tools of the tenant.'),
  given_at: z.string().nullable().describe('When the person agreed.'),
  last_used_at: z.string().nullable().describe('When tokens were last issued under it.'),
  expires_at: z.string().describe('When the consent ends.'),
})
export type ConsentView = z.output<typeof ConsentView>

type Wanted = { client_id?: string | undefined; user_id?: string | undefined }

/** The end of a range of sort keys: no id holds a character behind it. */
const END = '~'

/** The consents of a tenant, of one client or person where the query names one. */
export async function consentsIn(ctx: Context, { client_id, user_id }: Wanted): Promise<ListSource<Artefact, Named>> {
  const { tenant_id } = ctx.space
  const isLive = ({ tenant_id: of, exp }: Artefact) => of === tenant_id && exp * 1_000 > ctx.now()
  const common = { of: artefacts, descending: false, filter: isLive } as const
  if (client_id === undefined && user_id !== undefined)
    return { ...common, ...listed(accountPartition(user_id)), index: 'gsi1', ...range('Grant') }
  const list = { ...common, ...listed(consentsPartition(tenant_id)), index: 'gsi2' } as const
  if (client_id === undefined) return list
  const client = await findClient(ctx.table, client_id)
  return { ...list, ...range(client?.document ?? client_id, ...(user_id === undefined ? [] : [user_id])) }
}

const listed = (partition: string) => ({ groups: [{ name: 'consents', partitions: [partition] }] })

const range = (...start: string[]) => ({ from: `${start.join('#')}#`, to: `${start.join('#')}#${END}` })

/** The consents with the names of their clients. */
export async function consentViews(ctx: Context, consents: readonly Artefact[]): Promise<ConsentView[]> {
  const { tenant_id } = ctx.space
  const idOf = ({ client_id = '' }: Artefact) => storedId(client_id, tenant_id)
  const ids = [...new Set(consents.map(idOf))].map((client_id) => ({ client_id }))
  const known = await ctx.table.getAll(oauthClients, ids)
  const clients = new Map(known.map((client) => [client.client_id, client]))
  return consents.map((consent) => view(consent, idOf(consent), clients.get(idOf(consent))))
}

const view = (consent: Artefact, client_id: string, client: OAuthClient | undefined): ConsentView => ({
  id: consent.hash,
  client_id,
  client_name: client?.name ?? null,
  user_id: consent.account_id ?? '',
  scopes: consent.scopes ?? [],
  resources: consent.resources ?? [],
  given_at: instantOrNull(consent.given_at),
  last_used_at: instantOrNull(consent.last_used_at),
  expires_at: instant(consent.exp),
})
