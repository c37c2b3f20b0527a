import { alive, keysOfPerson } from '../access/keys-of-person.ts'
import type { Context } from '../context.ts'
import { endClient, endRegistrationToken } from '../oauth/end-made.ts'
import { clientsOf, registrationTokensOf } from '../oauth/made-by.ts'
import { endpointsSeenBy } from '../webhooks/seen-by.ts'
import { endInvitation, invitedBy } from './end-invitation.ts'
import { handOver } from './hand-over.ts'

/**
 * Ends what a removed person made for themselves, and hands over what they made for the tenant. None of what ends was worth
 * anything since the account was deleted, which every use of it looks at: this says so, and repeating it changes nothing.
 */
export async function leaveBehind(ctx: Context, user_id: string): Promise<void> {
  const [keys, clients, tokens, invitations, seen] = await Promise.all([
    keysOfPerson(ctx, user_id),
    clientsOf(ctx, user_id),
    registrationTokensOf(ctx, user_id),
    invitedBy(ctx, user_id),
    endpointsSeenBy(ctx, user_id),
  ])
  for (const client of clients.own) await endClient(ctx, client)
  for (const token of tokens) await endRegistrationToken(ctx, token, user_id)
  for (const invitation of invitations) await endInvitation(ctx, invitation)
  const untold = ({ transferred_at }: { transferred_at?: string | undefined }) => transferred_at === undefined
  const kept = {
    keys: alive(ctx, keys.service).filter(untold),
    clients: clients.others.filter(untold),
    seen,
  }
  await handOver(ctx, kept, user_id)
}
