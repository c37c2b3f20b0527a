// Ends OAuth clients, registration tokens, and the access of an application to a person's account.
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { mustBeCurrent } from '../../../base/wire/etag.ts'
import { conflict, Failure, notFound } from '../../../base/lib/failure.ts'
import type { Write } from '../../../base/table/entity.ts'
import { endConsents, endGrant, type Notice, removeRecorded } from '../../artefacts/end-grant.ts'
import { forgetClient, type OAuthClient, oauthClients, ownClient } from './client.ts'
import type { Artefact } from '../../artefacts/artefact.ts'
import { newMail } from '../../../ledger/events/mail.ts'
import { mustOutrankToEnd } from '../../access/outrank.ts'
import { type User, users } from '../../accounts/user.ts'
import { type Application, applicationsOf } from './application.ts'

type Removal = { id: string; version?: number | undefined }

/**
 * Deletes a client. Its grants, codes and tokens end with the commit, because each use reads the client and its id is never reused;
 * their items are removed afterwards or expire. Throws 404 for a missing client, also when a concurrent request has deleted it, and
 * 409 for one that a document describes.
 */
export async function deleteClient(ctx: Context, { id, version }: Removal): Promise<void> {
  const was = await ownClient(ctx, id)
  mustBeCurrent(version, was._v)
  if (was.document !== undefined)
    throw conflict('A document describes this client, so it would return. Set its status to disabled instead.')
  await ctx.table.commit(clientDeleted(ctx, was))
  forgetClient(id)
  await endConsents(ctx, id)
}

/** The removal with its evidence, through the API or through registration management (RFC 7592). */
export const clientDeleted = (ctx: Context, { client_id, name }: OAuthClient): Write[] => [
  oauthClients.remove({ client_id }, { expression: 'attribute_exists(pk)' }, notFound('OAuth client')),
  ...changed(ctx, [
    {
      action: 'oauth_client.deleted',
      artifact: 'identity.oauth_client.deleted',
      subject: { type: 'oauth_client', id: client_id, name },
    },
  ]),
]

/** Ends a client whose maker loses their access. False when it has ended already. */
export async function endClient(ctx: Context, client: OAuthClient): Promise<boolean> {
  try {
    await ctx.table.commit(clientDeleted(ctx, client))
    await endConsents(ctx, client.client_id)
    return true
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return false
    throw error
  } finally {
    forgetClient(client.client_id)
  }
}

/** The same for a registration token. */
export const endRegistrationToken = (ctx: Context, token: Artefact, user_id: string): Promise<boolean> =>
  removeRecorded(ctx, token, {
    action: 'registration_token.revoked',
    artifact: 'identity.registration_token.revoked',
    subject: { type: 'registration_token', id: token.public_id ?? token.hash },
    data: { user_id },
  })

export type Connection = { user_id: string; client_id: string }

/**
 * Ends the access of an application to a person's account: all grants of the person to the client, with every code, refresh token and
 * access token that was issued under them. Throws 404 for a client to which the person has given nothing, and 403 for a person who may
 * do more than the caller. A person whose connection somebody else ends gets a mail. Each grant ends in a transaction of its own; a
 * repetition ends those that a crash left.
 */
export async function disconnect(ctx: Context, { user_id, client_id }: Connection): Promise<void> {
  const user = await ctx.table.get(users, { tenant_id: ctx.space.tenant_id, id: user_id })
  if (!user) throw notFound('application')
  if (user_id !== ctx.principal.user_id) await mustOutrankToEnd(ctx, user)
  const application = (await applicationsOf(ctx, user.id)).find(({ client }) => client.client_id === client_id)
  if (!application) throw notFound('application')
  const ended: boolean[] = []
  // The last one sends the notices. Concurrent requests end the grants in the same order, so one of them sends.
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
