// Ends or hands over what a person made, after their access has ended. None of it works any more, because every use reads the
// account; this makes the stored state say so. It may be repeated.
import { type ApiKey, apiKeys } from '../../identity/access/api-key.ts'
import { KEY_LIFETIME_DAYS } from '../../base/limits/published.ts'
import { activeKeys, keysOfPerson, type KeysOfPerson } from '../../identity/access/revocation.ts'
import { raise } from '../../identity/security-events/raise.ts'
import { releaseOwned } from '../../assure/frameworks/change-control.ts'
import { cancelRequests, cancelThrough } from '../../govern/approvals/cancel.ts'
import { unassignAll } from '../../govern/tasks/unassign.ts'
import { type Context, createContext } from '../../base/context.ts'
import { MODES } from '../../base/table/members.ts'
import {
  clientsOf,
  type ClientsOfPerson,
  forgetClient,
  type OAuthClient,
  oauthClients,
} from '../../identity/oauth/clients/client.ts'
import { endClient, endRegistrationToken } from '../../identity/oauth/clients/delete-client.ts'
import { registrationTokensOf } from '../../identity/oauth/clients/registration-token.ts'
import { pauseEndpoints } from '../../deliver/webhooks/endpoints/pause.ts'
import { endpointsSeenBy, withMarkedSecrets } from '../../deliver/webhooks/endpoints/sealed-parts.ts'
import { endInvitation, invitedBy } from '../../identity/users/end-invitation.ts'
import type { User } from '../../identity/accounts/user.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { iso } from '../../base/lib/clock.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Write } from '../../base/table/entity.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { type Endpoint, endpoints } from '../../deliver/webhooks/endpoints/endpoint.ts'

type Made = { keys: KeysOfPerson; clients: ClientsOfPerson }

/**
 * After a deletion, credentials that the person made for themselves end, and those that they made for the tenant are handed over to it.
 * After a suspension they remain. In both cases their open requests are cancelled, and the webhook endpoints whose address they set are
 * paused. A crash leaves some of it undone; a repeat does the rest and reports nothing again.
 */
export async function leaveBehind(ctx: Context, user: User): Promise<void> {
  const [keys, clients] = await Promise.all([keysOfPerson(ctx, user.id), clientsOf(ctx, user.id)])
  await cancelAll(ctx, user, { keys, clients })
  await unassignAll(ctx, user.id)
  await releaseOwned(ctx, user.id)
  await pauseEndpoints(ctx, user) // before the hand-over, which reads the secrets whose rotation is not yet due
  if (user.status === 'deleted') await settle(ctx, user, { keys, clients })
  else for (const key of activeKeys(ctx, keys.service)) await orphaned(ctx, key, user)
}

const DEPROVISIONED = 'the requester was deprovisioned'

async function cancelAll(ctx: Context, { id: person }: User, { keys, clients }: Made): Promise<void> {
  const requesters = [
    ...MODES.map((mode) => ({ id: person, mode })),
    ...keys.own.map(({ id, kind: mode }) => ({ id, mode })),
  ]
  for (const one of requesters) await cancelRequests(ctx, { ...one, reason: DEPROVISIONED })
  for (const { client_id } of clients.own) await cancelThrough(ctx, { client_id, reason: DEPROVISIONED })
}

async function settle(ctx: Context, { id }: User, { keys, clients }: Made): Promise<void> {
  const [tokens, invitations, seen] = await Promise.all([
    registrationTokensOf(ctx, id),
    invitedBy(ctx, id),
    endpointsSeenBy(ctx, id),
  ])
  for (const client of clients.own) await endClient(ctx, client)
  for (const token of tokens) await endRegistrationToken(ctx, token, id)
  for (const invitation of invitations) await endInvitation(ctx, invitation)
  const notTransferred = ({ transferred_at }: { transferred_at?: string | undefined }) => transferred_at === undefined
  const kept = {
    keys: activeKeys(ctx, keys.service).filter(notTransferred),
    clients: clients.others.filter(notTransferred),
    seen,
  }
  await handOver(ctx, kept, id)
}

/** Longer than a key lives, so that a repeated clean-up raises no second event. */
const EVENT_ONCE_MS = 2 * KEY_LIFETIME_DAYS * 86_400_000

/** A tenant's key keeps working while its maker is suspended, so administrators are asked to take it over. */
const orphaned = (ctx: Context, { id: key_id, name }: ApiKey, user: User): Promise<boolean> =>
  raise(ctx, {
    type: 'service_key_orphaned',
    severity: 'medium',
    action_taken: 'none',
    ip: ctx.request.ip,
    user,
    details: { key_id, name },
    once: { of: key_id, ms: EVENT_ONCE_MS },
    notify: 'administrators',
  })

/** `seen`: webhook endpoints that still sign with a secret that the person has seen. */
export type Kept = {
  keys: readonly ApiKey[]
  clients: readonly OAuthClient[]
  seen: readonly (Endpoint & { _v: number })[]
}

/**
 * Credentials that a removed person has made for the tenant keep working, in the tenant's name. Each leaves evidence, an event and a mail
 * to the owners, because the person has seen its secret.
 */
async function handOver(ctx: Context, { keys, clients, seen }: Kept, from: string): Promise<void> {
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
  await unlessChangedMeanwhile(ctx.table.commit([write, ...changed(ctx, [change], { mails: [mail] })]))
}
