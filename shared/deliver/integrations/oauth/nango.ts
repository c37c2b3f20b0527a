// Nango over HTTP: it holds clients and tokens for the operator who has an account there.
import * as z from 'zod'
import { providerSecrets } from '../../../base/providers/provider-secrets.ts'
import { unavailable } from '../../../base/lib/failure.ts'
import { refusalIn, Refused, shownWords } from './conformed.ts'

const DEADLINE_MS = 20_000

type Account = { host: string; secret_key: string }

export const nangoAccount = async (): Promise<Account | undefined> => (await providerSecrets()).nango

const Session = z.object({ data: z.object({ connect_link: z.string(), expires_at: z.string() }) })
const NangoConnection = z.object({
  connection_id: z.string(),
  tags: z.record(z.string(), z.string()).optional(),
  credentials: z.object({ access_token: z.string(), expires_at: z.string().nullish() }),
})
export type NangoConnection = z.output<typeof NangoConnection>

export type Tags = Readonly<Record<'tenant_id' | 'mode' | 'connector_id' | 'state_hash', string>>

export const createSession = async (account: Account, tags: Tags) =>
  Session.parse(await call(account, 'POST', '/connect/sessions', { tags, allowed_integrations: [tags.connector_id] }))
    .data

/**
 * `renew`: with a token that Nango has just refreshed. Undefined when there is no such connection. Throws `Refused` when the provider
 * has refused the refresh that Nango tried.
 */
export async function readConnection(account: Account, id: string, connector_id: string, { renew = false } = {}) {
  const query = new URLSearchParams({ provider_config_key: connector_id, ...(renew && { force_refresh: 'true' }) })
  const found = await call(account, 'GET', `/connections/${encodeURIComponent(id)}?${query.toString()}`)
  return found === undefined ? undefined : NangoConnection.parse(found)
}

/** It ends the connection at Nango, which reports it to providers that support that. */
export const deleteConnection = async (account: Account, id: string, connector_id: string): Promise<boolean> => {
  const query = new URLSearchParams({ provider_config_key: connector_id })
  return (await call(account, 'DELETE', `/connections/${encodeURIComponent(id)}?${query.toString()}`)) !== undefined
}

const Syncs = z.object({ syncs: z.array(z.object({ name: z.string(), status: z.string() })) })

/** A connection at Nango. */
export type AtNango = { account: Account; nango_id: string; connector_id: string }

/** What Nango copies of a connection by itself, and whether it does so right now. */
export async function syncsOf({ account, nango_id, connector_id }: AtNango): Promise<Map<string, string>> {
  const query = new URLSearchParams({ provider_config_key: connector_id, connection_id: nango_id, syncs: '*' })
  const found = await call(account, 'GET', `/sync/status?${query.toString()}`)
  return new Map((found === undefined ? [] : Syncs.parse(found).syncs).map(({ name, status }) => [name, status]))
}

/** `full`: from the beginning, with an empty cache. A message reports the end. */
export async function triggerSync(
  { account, nango_id, connector_id }: AtNango,
  sync: string,
  full: boolean,
): Promise<void> {
  const of = { provider_config_key: connector_id, connection_id: nango_id }
  await call(account, 'POST', '/sync/trigger', { ...of, syncs: [sync], opts: { reset: full, emptyCache: full } })
}

const NangoRecord = z.looseObject({
  id: z.union([z.string().min(1).max(512), z.number()]),
  _nango_metadata: z.object({ cursor: z.string(), deleted_at: z.string().nullish() }),
})
export type NangoRecord = z.output<typeof NangoRecord>

const Records = z.object({ records: z.array(z.unknown()), next_cursor: z.string().nullish() })

/** A page of Nango's cache, without what cannot be a record; undefined when it does not have such a list. */
export async function readRecords(
  { account, nango_id, connector_id }: AtNango,
  { model, cursor, limit }: { model: string; cursor: string | undefined; limit: number },
): Promise<{ records: NangoRecord[]; next: string | undefined } | undefined> {
  const query = new URLSearchParams({ model, limit: String(limit), ...(cursor !== undefined && { cursor }) })
  const headers = { 'connection-id': nango_id, 'provider-config-key': connector_id }
  const found = await call(account, 'GET', `/records?${query.toString()}`, undefined, headers)
  if (found === undefined) return undefined
  const { records, next_cursor } = Records.parse(found)
  return { records: records.flatMap((one) => NangoRecord.safeParse(one).data ?? []), next: next_cursor ?? undefined }
}

/** The address is the operator's, so it is called without the rules for addresses of tenants. */
async function call(
  { host, secret_key }: Account,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<unknown> {
  try {
    const answer = await fetch(new URL(path, host), {
      method,
      headers: { ...more, authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (answer.status === 404) return undefined
    if (answer.status === 424 || answer.status === 400) mustBeNoRefusal(answer.status, await answer.text(), secret_key)
    if (!answer.ok) throw new Error(`Nango answers ${answer.status}`)
    return answer.status === 204 ? {} : await answer.json()
  } catch (error) {
    if (error instanceof Refused) throw error
    throw unavailable('The service that keeps connections does not answer. Try again.', error)
  }
}

/** Of Nango's own codes those that report a refusal of the provider. Others are about this request, or the operator's account. */
const PROVIDER_REFUSES = /invalid_credentials|refresh_token|invalid_grant/

function mustBeNoRefusal(status: number, text: string, secret_key: string): void {
  const said = refusalIn({ status, text }, {})
  const isTheirs = status === 424 || PROVIDER_REFUSES.test(`${said?.code ?? ''} ${said?.words ?? ''}`)
  if (said && isTheirs) throw new Refused(said.code, shownWords(said.words ?? '', [secret_key]))
}
