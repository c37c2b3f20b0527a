// Sends a client the notice that a person has signed out (OpenID Connect Back-Channel Logout 1.0): one POST for each of its
// sessions that have ended, or one for all when it does not distinguish them. The outcome is recorded.
import { iso } from '../../base/lib/clock.ts'
import { outbound, type Outcome } from '../../base/lib/safe-http.ts'
import { type Context, systemContext } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { auditEntries, newEntry } from '../../ledger/audit/entry.ts'
import type { Logout } from '../../ledger/events/mail.ts'
import { findClient, type OAuthClient } from './clients/client.ts'
import { openLogoutUri } from './clients/sealed.ts'
import type { Sign } from './signing-key.ts'
import { type SentLogout, sentLogouts } from './sent-logout.ts'
import { env } from '../../base/lib/runtime.ts'
import { oauthKeys } from './public-keys.ts'

const DEADLINE_MS = 5_000
const ANSWER_BYTES_MAX = 1_024

/** `attempt`: 1 for the first. `isLast`: no other follows. */
export type LogoutSending = { logout: Logout; attempt: number; isLast: boolean; sign: Sign }

/**
 * Sends the notice and records the outcome. Returns whether it has to be tried again. A client without an address, or of another
 * tenant, gets nothing. A notice that was delivered is not sent again; one whose record was lost in a crash is.
 */
export async function sendLogout({ logout, attempt, isLast, sign }: LogoutSending): Promise<boolean> {
  const ctx = systemContext({ tenant_id: logout.tenant_id, mode: 'live' })
  const client = await findClient(ctx.table, logout.client_id)
  if (!client || client.tenant_id !== logout.tenant_id) return false
  const [url, known] = await Promise.all([openLogoutUri(client), ctx.table.get(sentLogouts, logout)])
  if (url === undefined || known?.status === 'delivered') return false
  const outcome = await sendAll(ctx, { client, logout, url, sign })
  const undelivered = isLast ? 'failed' : 'retrying'
  const sent: SentLogout = {
    id: logout.id,
    tenant_id: logout.tenant_id,
    client_id: logout.client_id,
    user_id: logout.user_id,
    status: succeeded(outcome) ? 'delivered' : undelivered,
    attempts: attempt,
    last_attempt_at: iso(ctx.now()),
    status_code: outcome.kind === 'answer' ? outcome.status : null,
    error_class: outcome.kind === 'answer' ? null : outcome.error_class,
  }
  const record = known ? sentLogouts.replace(sent, known) : sentLogouts.insert(sent)
  await ctx.table.commit([record, ...(sent.status === 'failed' ? [undeliveredEntry(ctx, client, sent)] : [])])
  return sent.status === 'retrying'
}

type Sending = { client: OAuthClient; logout: Logout; url: string; sign: Sign }

/**
 * Up to the first failure. A token without `sid` says that all sessions of the person have ended. Each attempt has tokens of its
 * own, because they expire before the next.
 */
async function sendAll(ctx: Context, { client, logout, url, sign }: Sending): Promise<Outcome> {
  const { client_id, backchannel_logout_session_required: bySession } = client
  const [first, ...others] = (bySession ? logout.sids : undefined) ?? [undefined]
  const send = async (sid: string | undefined) =>
    post(url, await logoutToken(ctx, { client_id, user_id: logout.user_id, sid }, sign))
  let outcome = await send(first)
  for (const sid of others) if (succeeded(outcome)) outcome = await send(sid)
  return outcome
}

const post = (url: string, token: string): Promise<Outcome> =>
  outbound({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Countersign/1.0' },
    body: new URLSearchParams({ logout_token: token }).toString(),
    deadlineMs: DEADLINE_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  })

/** The specification asks for 200, and accepts 204 for frameworks that answer so without a body. */
const succeeded = (outcome: Outcome) => outcome.kind === 'answer' && (outcome.status === 200 || outcome.status === 204)

function undeliveredEntry(ctx: Context, { client_id, name }: OAuthClient, sent: SentLogout): Write {
  const reason = sent.status_code === null ? String(sent.error_class) : `status ${sent.status_code}`
  return auditEntries.insert(
    newEntry(ctx, {
      action: 'oauth_client.logout_undelivered',
      outcome: 'failure',
      reason,
      subject: { type: 'oauth_client', id: client_id, name },
    }),
  )
}

/** The specification recommends at most two minutes. */
const LIFETIME_S = 120

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** `sid`: one session of the client; without it all sessions of the person there. */
export type LogoutRecipient = { client_id: string; user_id: string; sid?: string | undefined }

/** The claims of a logout token, which is signed with the key of ID tokens and good for one request. `now`: ms. */
export function logoutClaims({ client_id, user_id, sid }: LogoutRecipient, jti: string, now: number) {
  const iat = Math.floor(now / 1_000)
  return {
    iss: env('APP_URL'),
    aud: client_id,
    iat,
    exp: iat + LIFETIME_S,
    jti,
    sub: user_id,
    ...(sid !== undefined && { sid }),
    events: { [EVENT]: {} },
  }
}

async function logoutToken(ctx: Context, to: LogoutRecipient, sign: Sign): Promise<string> {
  const [key] = await oauthKeys()
  if (!key) throw new Error('there is no key for OAuth tokens')
  const header = { alg: key.jwk.alg, typ: 'logout+jwt', kid: key.jwk.kid }
  const signed = `${encoded(header)}.${encoded(logoutClaims(to, ctx.id('lgt'), ctx.now()))}`
  return `${signed}.${Buffer.from(await sign(key.arn, Buffer.from(signed))).toString('base64url')}`
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
