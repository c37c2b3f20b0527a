import { hashOf, newSecret } from '../access/one-time.ts'
import { seenAlsoBy } from '../access/seen-by.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { sameBytes } from '../../base/lib/hash.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type OAuthClient, oauthClients } from './client.ts'
import { openSecret, sealSecret } from './client-secret.ts'
import { mustMatch, needsSecret } from './create-client.ts'
import { changedMeanwhile, ownClient } from './find-client.ts'

const OVERLAP_MS = 86_400_000

/**
 * Creates a new secret, shown only here. The previous one works for another 24 hours, older ones end. The caller learns the
 * secret, so they must hold every permission that the client has without consent.
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
export const isPreviousSecret = ({ previous_secret }: OAuthClient, given: string, now: number): boolean =>
  previous_secret !== undefined &&
  previous_secret.until > iso(now) &&
  sameBytes(Buffer.from(hashOf(given)), Buffer.from(previous_secret.hash))
