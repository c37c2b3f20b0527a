// Ends the access of an application to a person's account: all grants of the person to the client, with every code, refresh
// token and access token that was issued under them.
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { mustOutrankToEnd } from '../access/outrank.ts'
import { type User, users } from '../accounts/user.ts'
import { type Application, applicationsOf } from './application.ts'
import { endGrant, type Notice } from '../artefacts/end-grant.ts'

export type Connection = { user_id: string; client_id: string }

/**
 * Throws 404 for a client that the person has given nothing, and 403 for a person who may do more than the caller. A person whose
 * access somebody else ends gets a mail.
 */
export async function disconnect(ctx: Context, { user_id, client_id }: Connection): Promise<void> {
  const user = await ctx.table.get(users, { tenant_id: ctx.space.tenant_id, id: user_id })
  if (!user) throw notFound('application')
  if (user_id !== ctx.principal.user_id) await mustOutrankToEnd(ctx, user)
  const application = (await applicationsOf(ctx, user.id)).find(({ client }) => client.client_id === client_id)
  if (!application) throw notFound('application')
  const ended: boolean[] = []
  // The last one tells. Concurrent requests end them in the same order, so one of them tells.
  for (const [index, grant] of application.grants.entries()) {
    const isLast = index === application.grants.length - 1
    ended.push(await endGrant(ctx, grant, user.id, isLast ? noticeOf(ctx, user, application) : {}))
  }
  if (!ended.includes(true)) throw notFound('application')
}

const NONE = { api_keys: 0, oauth_clients: 0, registration_tokens: 0, sessions: 0, invitations: 0, open_requests: 0 }

function noticeOf(ctx: Context, { id, status }: User, { client, grants }: Application): Notice {
  const isOwn = ctx.principal.user_id === id
  const to = { user_id: id }
  return {
    events: [
      {
        type: 'user.credentials_revoked',
        subject: { id: `${id}.${ctx.request.request_id}`, version: 1 },
        data: { user_id: id, ...NONE, oauth_grants: grants.length },
      },
    ],
    mails: isOwn || status !== 'active' ? [] : [newMail(ctx, 'application_disconnected', to, { name: client.name })],
  }
}
