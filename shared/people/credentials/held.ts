// Reads everything that acts, or could act, in the name of a person.
import { activeKeys, keysOfPerson } from '../../identity/access/revocation.ts'
import { type Approval, approvals, openPartition, statusPartition } from '../../govern/approvals/approval.ts'
import type { Context, Mode } from '../../base/context.ts'
import { MODES } from '../../base/table/members.ts'
import { clientsOf } from '../../identity/oauth/clients/client.ts'
import { grantsOf } from '../../identity/artefacts/store.ts'
import { registrationTokensOf } from '../../identity/oauth/clients/registration-token.ts'
import { liveSessionsOf } from '../../identity/sessions/live-session.ts'
import { endpointsSeenBy } from '../../deliver/webhooks/endpoints/sealed-parts.ts'
import { invitedBy } from '../../identity/users/end-invitation.ts'
import type { User } from '../../identity/accounts/user.ts'

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
