// Keeps what a removed person has made for the tenant working, in the tenant's name. Each credential leaves evidence, an
// event and a mail to the owners, because the person has seen its secret. A repeat reports nothing again.
import { type ApiKey, apiKeys } from '../../identity/access/api-key.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { type Context, createContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { forgetClient, type OAuthClient, oauthClients } from '../../identity/oauth/clients/client.ts'
import type { Write } from '../../base/table/entity.ts'
import { unlessOvertaken } from '../../base/kernel/retry.ts'
import { type Endpoint, endpoints } from '../../deliver/webhooks/endpoints/endpoint.ts'
import { withMarkedSecrets } from '../../deliver/webhooks/endpoints/sealed-parts.ts'

/** `seen`: webhook endpoints that still sign with a secret that the person has seen. */
export type Kept = {
  keys: readonly ApiKey[]
  clients: readonly OAuthClient[]
  seen: readonly (Endpoint & { _v: number })[]
}

export async function handOver(ctx: Context, { keys, clients, seen }: Kept, from: string): Promise<void> {
  for (const key of keys) {
    const what = { credential: 'api_key', id: key.id, name: key.name } as const
    await transfer(ctx, apiKeys.update(key, transferMark(ctx)), what, from)
  }
  for (const client of clients) {
    const what = { credential: 'oauth_client', id: client.client_id, name: client.name } as const
    await transfer(ctx, oauthClients.update(client, transferMark(ctx)), what, from)
    forgetClient(client.client_id)
  }
  for (const endpoint of seen) {
    const what = { credential: 'webhook_endpoint', id: endpoint.id, name: endpoint.name } as const
    const inside = createContext({ ...ctx, space: { tenant_id: endpoint.tenant_id, mode: endpoint.mode } })
    await transfer(inside, endpoints.replace(withMarkedSecrets(endpoint, from, ctx.now()), endpoint), what, from)
  }
}

const transferMark = (ctx: Context) => ({
  set: { transferred_at: iso(ctx.now()) },
  condition: { expression: 'attribute_exists(pk) AND attribute_not_exists(#transferred_at)' },
})

type Credential = { credential: 'api_key' | 'oauth_client' | 'webhook_endpoint'; id: string; name: string }

async function transfer(ctx: Context, write: Write, { credential, id, name }: Credential, from: string): Promise<void> {
  const change: Change = {
    action: `${credential}.transferred`,
    artifact: 'identity.credential.transferred',
    subject: { type: credential, id, name },
    data: { from_user_id: from },
    events: [
      {
        type: 'credential.transferred',
        subject: { id: `${id}.${from}`, version: 1 },
        data: { credential, credential_id: id, name, from_user_id: from },
      },
    ],
  }
  const mail = newMail(ctx, 'credential_transferred', { roles: ['owner'] }, { credential, name })
  // Unless transferred, or ended, by another request.
  await unlessOvertaken(ctx.table.commit([write, ...changed(ctx, [change], { mails: [mail] })]))
}
