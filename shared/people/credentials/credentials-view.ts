// Everything that acts, or could act, in the name of a person, as the API lists it and as it is read: credentials, requests, and votes
// that still count.
import * as z from 'zod'
import { KeyView, keyView } from '../../identity/access/key-view.ts'
import { Approval, approvals, openPartition, statusPartition, Vote } from '../../govern/approvals/approval.ts'
import type { Context, Mode } from '../../base/context.ts'
import { MODES } from '../../base/table/members.ts'
import { iso } from '../../base/lib/clock.ts'
import { clientsOf, ClientView, clientView } from '../../identity/oauth/clients/client.ts'
import { SessionView, sessionView } from '../../identity/sessions/session.ts'
import { type User, USER_STATUSES } from '../../identity/accounts/user.ts'
import { activeKeys, keysOfPerson } from '../../identity/access/revocation.ts'
import { grantsOf } from '../../identity/artefacts/store.ts'
import { registrationTokensOf } from '../../identity/oauth/clients/registration-token.ts'
import { liveSessionsOf } from '../../identity/sessions/live-session.ts'
import { endpointsSeenBy } from '../../deliver/webhooks/endpoints/sealed-parts.ts'
import { invitedBy } from '../../identity/users/end-invitation.ts'

const request = Approval.unwrap().pick({ request_id: true, mode: true, node_id: true, action_id: true }).shape

export const CredentialsView = z.object({
  user_id: z.string().describe('Id of the person.'),
  user_status: z.enum(USER_STATUSES).describe('Whether the person may sign in.'),
  /** A key with `service: true` belongs to the tenant and stays when the person is removed. */
  api_keys: z.array(KeyView).describe('Active keys that the person made.'),
  /** Also clients of other people whose secret the person has seen. */
  oauth_clients: z.array(ClientView).describe('Clients that the person made, or whose secret the person saw.'),
  registration_tokens: z
    .array(
      z.object({
        id: z.string().describe('The id, which never changes.'),
        expires_at: z.string().describe('When it expires.'),
      }),
    )
    .describe('Tokens with which a client can still register itself.'),
  sessions: z.array(SessionView).describe('The sessions of the person.'),
  oauth_grants: z
    .array(
      z.object({
        id: z.string().describe('The id, which never changes.'),
        client_id: z.string().describe('Id of the OAuth client.'),
        expires_at: z.string().describe('When it expires.'),
      }),
    )
    .describe('The permissions that the person gave to clients.'),
  invitations: z
    .array(
      z.object({
        user_id: z.string().describe('Id of the person.'),
        email: z.string().nullable().describe('The e-mail address.'),
        roles: z.array(z.string()).describe('Roles, by name.'),
        created_at: z.string().describe('When it was created.'),
      }),
    )
    .describe('Pending invitations that the person sent.'),
  /** Secrets that the person has seen and that still sign webhooks. */
  webhook_secrets: z
    .array(
      z.object({
        endpoint_id: z.string().describe('Id of the webhook endpoint.'),
        name: z.string().describe('A name for people.'),
        mode: z.enum(MODES).describe('Whether it belongs to live or test data.'),
      }),
    )
    .describe('Webhook endpoints whose secret the person saw.'),
  open_requests: z
    .array(
      z.object({
        approval_id: z.string().describe('Id of the approval.'),
        ...request,
        requested_at: z.string().describe('When it was requested.'),
        expires_at: z.string().describe('When it expires.'),
      }),
    )
    .describe('Requests of the person that wait for approval.'),
  /** Votes on approvals that are still pending. */
  votes: z
    .array(
      z.object({
        approval_id: z.string().describe('Id of the approval.'),
        ...request,
        ...Vote.pick({ decision: true, at: true, stage: true }).shape,
      }),
    )
    .describe('Votes of the person on approvals that still wait.'),
})

export function credentialsView(ctx: Context, user: User, held: Held): z.input<typeof CredentialsView> {
  const now = ctx.now()
  const until = ({ exp }: { exp: number }) => iso(exp * 1_000)
  return {
    user_id: user.id,
    user_status: user.status,
    api_keys: held.keys.map((key) => keyView(key, now)),
    oauth_clients: [...held.clients.own, ...held.clients.others].map((client) => clientView(client, now)),
    registration_tokens: held.tokens.map((one) => ({ id: one.public_id ?? one.hash, expires_at: until(one) })),
    sessions: held.sessions.map((session) => sessionView(session, ctx.principal.session_id)),
    oauth_grants: held.grants.map((one) => ({
      id: one.hash,
      client_id: one.client_id ?? '',
      expires_at: until(one),
    })),
    invitations: held.invitations.map(({ id: user_id, ...rest }) => ({ user_id, ...rest })),
    webhook_secrets: held.endpoints.map(({ id: endpoint_id, ...rest }) => ({ endpoint_id, ...rest })),
    open_requests: held.requests.map(({ id: approval_id, ...rest }) => ({ approval_id, ...rest })),
    votes: held.voted.flatMap(({ id: approval_id, votes, ...rest }) =>
      votes
        .filter(({ persons }) => persons.includes(user.id))
        .map(({ decision, at, stage }) => ({ approval_id, ...rest, decision, at, stage })),
    ),
  }
}

/** Votes are searched in this many of the newest pending approvals of each mode. */
const WAITING_MAX = 1_000

export async function heldBy(ctx: Context, user: User) {
  const { id } = user
  const [{ own, service }, clients, tokens, sessions, grants, invitations, endpoints] = await Promise.all([
    keysOfPerson(ctx, id),
    clientsOf(ctx, id),
    registrationTokensOf(ctx, id),
    liveSessionsOf(ctx, user),
    grantsOf(ctx, id),
    invitedBy(ctx, id),
    endpointsSeenBy(ctx, id),
  ])
  const keys = activeKeys(ctx, [...own, ...service])
  const requesters = [
    ...MODES.map((mode) => ({ id, mode })),
    ...activeKeys(ctx, own).map(({ id: key_id, kind }) => ({ id: key_id, mode: kind })),
    ...clients.own.map(({ client_id, mode }) => ({ id: client_id, mode })),
  ]
  const [requests, voted] = await Promise.all([requestsOf(ctx, requesters), votesOf(ctx, id)])
  return { keys, clients, tokens, sessions, grants, invitations, endpoints, requests, voted }
}

export type Held = Awaited<ReturnType<typeof heldBy>>

async function requestsOf({ table, space }: Context, requesters: readonly { id: string; mode: Mode }[]) {
  const found = await Promise.all(
    requesters.map(({ id, mode }) =>
      table.query(approvals, { pk: openPartition({ ...space, mode }, id), index: 'gsi3' }),
    ),
  )
  return found.flat().filter(({ status }) => status === 'pending')
}

/** Approvals that the person voted on, with any credential. */
async function votesOf({ table, space }: Context, id: string): Promise<Approval[]> {
  const range = { index: 'gsi1', descending: true, limit: WAITING_MAX } as const
  const found = await Promise.all(
    MODES.map((mode) => table.query(approvals, { ...range, pk: statusPartition({ ...space, mode }, 'pending') })),
  )
  const isTheirs = ({ status, votes }: Approval) =>
    status === 'pending' && votes.some(({ persons }) => persons.includes(id))
  return found.flat().filter(isTheirs)
}
