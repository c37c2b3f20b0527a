// Changes an OAuth client, or its secret.
import { seenAlsoBy } from '../../access/permissions.ts'
import { mustActInPerson } from '../../access/assurance.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { mustBeCurrent } from '../../../base/wire/etag.ts'
import { iso } from '../../../base/lib/clock.ts'
import { conflict } from '../../../base/lib/failure.ts'
import { given, sameBytes } from '../../../base/lib/json.ts'
import type { Mail } from '../../../ledger/events/mail.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { changedMeanwhile, forgetClient, type OAuthClient, oauthClients, ownClient } from './client.ts'
import {
  mailAboutReach,
  mustAdminister,
  mustAnswerForConsent,
  mustBeAllowedToGrant,
  mustBeSound,
  mustMatch,
  needsSecret,
} from './create-client.ts'
import { openSecret, sealLogoutUri, sealSecret } from './sealed.ts'
import { hashOf, newSecret } from '../../access/one-time.ts'

const CHANGEABLE = [
  'name',
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'scopes',
  'skip_consent',
  'service',
  'status',
] as const

/** Fields that send a client's codes elsewhere, or let it do more without consent. */
const REACH = ['redirect_uris', 'scopes', 'skip_consent'] as const

type Changeable = (typeof CHANGEABLE)[number]

export type ClientChange = { [K in Changeable]?: OAuthClient[K] | undefined } & { version?: number | undefined }

/**
 * Changes a client. A disabled client gets no more tokens, and the tokens that it has end at once, because each use reads the client.
 * Throws 403 for a scope that the caller could not give, and unless a person with a recent factor makes a change after which codes
 * could go elsewhere; 422 for broken rules; 409 for a version that is no longer current. Who has seen its secrets comes from the
 * caller's credential.
 */
export async function changeClient(ctx: Context, id: string, change: ClientChange): Promise<Stored<OAuthClient>> {
  const was = await ownClient(ctx, id)
  const { version, ...fields } = change
  mustBeCurrent(version, was._v)
  const changes = given(fields)
  mustLeaveDocument(was, Object.keys(changes))
  const seen_by = changes.redirect_uris ? seenAlsoBy(was, ctx.principal.persons) : was.seen_by
  const next: OAuthClient = { ...was, ...changes, seen_by, updated_at: iso(ctx.now()) }
  mustBeSound(next)
  if (next.backchannel_logout_uri !== was.backchannel_logout_uri) next.sealed_logout_uri = await sealLogoutUri(next)
  const added = next.scopes.filter((scope) => !was.scopes.includes(scope))
  mustBeAllowedToGrant(ctx, added)
  if (next.service !== was.service) mustAdminister(ctx.principal)
  const reachesFurther = REACH.some((field) => changes[field] !== undefined)
  if (next.skip_consent && reachesFurther) await mustAnswerForConsent(ctx)
  else if (reachesOthers(was, next)) await mustActInPerson(ctx)
  mustMatch(ctx, next, next.skip_consent && reachesFurther ? next.scopes : added)
  const reaches = reachesOthers(was, next) || (next.skip_consent && !was.skip_consent)
  const evidence = clientUpdated(ctx, was, next, reaches ? [mailAboutReach(ctx)] : [])
  await ctx.table.commit([oauthClients.replace(next, was, changedMeanwhile(was)), ...evidence], id)
  forgetClient(id)
  return { ...next, _v: was._v + 1 }
}

/** Whether codes of people who have agreed already could go elsewhere. */
const reachesOthers = (was: OAuthClient, next: OAuthClient): boolean =>
  next.redirect_uris.some((uri) => !was.redirect_uris.includes(uri))

/** Throws 409 for a change of a member that the document of a client sets. The client can be disabled. */
function mustLeaveDocument({ document }: OAuthClient, fields: readonly string[]): void {
  if (document !== undefined && fields.some((field) => field !== 'status'))
    throw conflict(`The document at ${document} describes this client. You can change its status only.`)
}

/** Evidence of a change, through the API or through registration management (RFC 7592). */
export function clientUpdated(ctx: Context, was: OAuthClient, next: OAuthClient, mails: Mail[] = []): Write[] {
  const differ = CHANGEABLE.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(next[name]))
  return changed(
    ctx,
    [
      {
        action: 'oauth_client.updated',
        artifact: 'identity.oauth_client.updated',
        subject: { type: 'oauth_client', id: next.client_id, name: next.name },
        data: { changed_fields: differ, status: next.status },
        changes: differ.map((path) => ({ path, before: was[path], after: next[path] })),
      },
    ],
    { mails },
  )
}

const OVERLAP_MS = 86_400_000

/**
 * Creates a new secret, shown only here. The previous one works for another 24 hours, older ones end. The caller learns the
 * secret, so they must hold every permission that the client has without consent (403). Of two concurrent requests one gets 409, so
 * no secret that was shown is lost.
 */
export async function rotateClientSecret(
  ctx: Context,
  id: string,
): Promise<{ client: Stored<OAuthClient>; secret: string }> {
  const was = await ownClient(ctx, id)
  if (!needsSecret(was))
    throw conflict(`The client has no secret, because it authenticates with ${was.token_endpoint_auth_method}.`)
  mustMatch(ctx, was, was.scopes)
  const before = await openSecret(was)
  const secret = newSecret(ctx.random)
  const until = iso(ctx.now() + OVERLAP_MS)
  const next: OAuthClient = {
    ...was,
    seen_by: seenAlsoBy(was, ctx.principal.persons),
    sealed_secret: await sealSecret(was, secret),
    ...(before !== undefined && { previous_secret: { hash: hashOf(before), until } }),
    updated_at: iso(ctx.now()),
  }
  await ctx.table.commit(
    [
      oauthClients.replace(next, was, changedMeanwhile(was)),
      ...changed(ctx, [
        {
          action: 'oauth_client.secret_rotated',
          artifact: 'identity.oauth_client.secret_rotated',
          subject: { type: 'oauth_client', id, name: was.name },
          data: { previous_secret_until: until },
          changes: [{ path: 'client_secret', before: '***', after: '***' }],
        },
      ]),
    ],
    id,
  )
  return { client: { ...next, _v: was._v + 1 }, secret }
}

/** Whether a text is the previous secret and that secret still works. */
export const isPreviousSecret = ({ previous_secret }: OAuthClient, text: string, now: number): boolean =>
  previous_secret !== undefined &&
  previous_secret.until > iso(now) &&
  sameBytes(Buffer.from(hashOf(text)), Buffer.from(previous_secret.hash))
