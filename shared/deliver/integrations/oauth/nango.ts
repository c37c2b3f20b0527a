// Nango over HTTP: it holds clients and tokens for the operator who has an account there.
import * as z from 'zod'
import { providerSecrets } from '../../../base/providers/provider-secrets.ts'
import { unavailable } from '../../../base/lib/failure.ts'

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

/** `renew`: with a token that Nango has just refreshed. Undefined when there is no such connection. */
export async function readConnection(account: Account, id: string, connector_id: string, { renew = false } = {}) {
  const query = new URLSearchParams({ provider_config_key: connector_id, ...(renew && { force_refresh: 'true' }) })
  const found = await call(account, 'GET', `/connections/${encodeURIComponent(id)}?${query.toString()}`)
  return found === undefined ? undefined : NangoConnection.parse(found)
}

/** It ends the connection at Nango, which tells providers that support it. */
export const deleteConnection = async (account: Account, id: string, connector_id: string): Promise<boolean> => {
  const query = new URLSearchParams({ provider_config_key: connector_id })
  return (await call(account, 'DELETE', `/connections/${encodeURIComponent(id)}?${query.toString()}`)) !== undefined
}

/** The address is the operator's, so it is called without the rules for addresses of tenants. */
async function call({ host, secret_key }: Account, method: string, path: string, body?: object): Promise<unknown> {
  try {
    const answer = await fetch(new URL(path, host), {
      method,
      headers: { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (answer.status === 404) return undefined
    if (!answer.ok) throw new Error(`Nango answers ${answer.status}`)
    return answer.status === 204 ? {} : await answer.json()
  } catch (error) {
    throw unavailable('The service that keeps connections does not answer. Try again.', error)
  }
}
