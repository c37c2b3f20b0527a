// A passkey as the first factor. It proves what a person has and, since the authenticator verified them, who they are, so it
// counts as two factors. Nobody says an address: the passkey names its account.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure, forbidden } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { writeAuditEntry } from '../../ledger/audit/write-audit-entry.ts'
import { actingAs } from '../accounts/find.ts'
import { mintForTicket } from '../accounts/pool.ts'
import { subs, type User, users } from '../accounts/user.ts'
import { changeFactor, factorsOf, type Passkey } from '../mfa/factor.ts'
import { takeOpenChallenge } from '../mfa/challenge.ts'
import { maySignInByPasskey } from '../mfa/policy.ts'
import { noteSuccess, rememberSignIn } from '../security-events/note-success.ts'
import { mustHaveOpenFactors } from '../security-events/attempts.ts'
import { mustBeAllowedIn, openSession } from '../sessions/open-session.ts'
import type { Tokens } from '../sessions/sign-in-view.ts'
import { createTicket } from '../sessions/ticket.ts'
import { enforcedSso, mayUsePassword } from './enforced-sso.ts'

/** What is read before the signature is checked. */
const Answer = z.object({
  id: z.string().max(2_048),
  response: z.object({ clientDataJSON: z.string().max(8_192), userHandle: z.string().max(128) }),
})
const ClientData = z.object({ challenge: z.string().max(128) })
const USER_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

export type Credential = Record<string, unknown>

/** `by`: the context of the person. `write` notes the use of the passkey; the sign-in counts only once it is committed. */
export type PasskeySignIn = {
  by: Context
  user: Stored<User>
  amr: string[]
  write: Write
  score: number
  country: string | null
}

/**
 * Throws 401 with one text for everything that is no passkey of an active account, 403 where the tenant wants another way in.
 * Blocks after wrong passwords do not apply, since nobody can guess a passkey; otherwise anybody could lock its owner out.
 */
export async function checkPasskey(ctx: Context, credential: Credential, tenant_id?: string): Promise<PasskeySignIn> {
  const answer = Answer.safeParse(credential)
  const challenge = answer.success ? challengeIn(answer.data.response.clientDataJSON) : undefined
  if (!answer.success || challenge === undefined || !(await takeOpenChallenge(ctx, challenge))) throw notAccepted()
  const found = await ownerOf(ctx, answer.data)
  if (!found || (tenant_id !== undefined && found.user.tenant_id !== tenant_id)) throw notAccepted()
  const { user, passkey } = found
  const by = actingAs(ctx, user)
  const { readAnswer } = await import('../mfa/webauthn.ts')
  const counter = await readAnswer(credential, challenge, passkey)
  if (counter === undefined) throw await refused(by, user)
  await mustBeWelcome(by, user)
  const { ip, user_agent } = ctx.request
  const { score, country } = await noteSuccess(by, { user, ip, user_agent })
  const write = changeFactor(passkey, { counter, last_used_at: iso(ctx.now()) })
  return { by, user, amr: [passkey.synced ? 'swk' : 'hwk', 'user', 'mfa'], write, score, country }
}

const notAccepted = () =>
  new Failure('unauthenticated', 'Your passkey was not accepted. Try again, or sign in another way.')

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).challenge
  } catch {
    return undefined
  }
}

/** The account that the passkey names, and the passkey as it was stored; undefined when there is none. */
async function ownerOf(
  { table }: Context,
  { id, response }: z.output<typeof Answer>,
): Promise<{ user: Stored<User>; passkey: Stored<Passkey> } | undefined> {
  const user_id = Buffer.from(response.userHandle, 'base64url').toString()
  const sub = USER_ID.test(user_id) ? await table.get(subs, { id: user_id }) : undefined
  const user = sub && (await table.get(users, { tenant_id: sub.tenant_id, id: user_id }))
  if (user?.status !== 'active') return undefined
  const passkey = (await factorsOf(table, user)).find((one) => one.type === 'webauthn' && one.credential_id === id)
  return passkey?.type === 'webauthn' ? { user, passkey } : undefined
}

async function refused(by: Context, { id, name }: User): Promise<Failure> {
  const subject = { type: 'user', id, name }
  await writeAuditEntry(by, { action: 'user.sign_in', subject, outcome: 'failure', reason: 'wrong passkey' })
  return notAccepted()
}

/** The rules of the tenant: its state and addresses, its policy, its identity provider, and blocks of second factors. */
async function mustBeWelcome(by: Context, user: User): Promise<void> {
  const tenant = await tenantOf(by.table, user.tenant_id)
  await mustBeAllowedIn(by, user, tenant)
  await mustHaveOpenFactors(by, user.id)
  if (!maySignInByPasskey(tenant))
    throw forbidden('Your organisation takes a passkey as a second factor only. Sign in with your password first.')
  const sso = user.email === null ? undefined : await enforcedSso(by.table, user.email)
  if (sso && !(await mayUsePassword(by, user, sso)))
    throw forbidden('Your organisation wants you to sign in at its identity provider.', {
      members: { sso_url: sso.sso_url },
    })
}

/**
 * Opens a session, as a sign-in with password and second factor does. The use of the passkey is committed first, so that of two
 * concurrent uses of one answer one succeeds.
 */
export async function signInWithPasskey(
  ctx: Context,
  given: { credential: Credential; tenant_id?: string | undefined },
): Promise<Tokens> {
  const { by, user, amr, write, score, country } = await checkPasskey(ctx, given.credential, given.tenant_id)
  await by.table.commit([write])
  const tokens = await mintForTicket(user.username, await createTicket(by, user.id))
  const result = await openSession(by, user, tokens, {
    method: 'passkey',
    amr,
    mfa: 'webauthn',
    mfa_at: ctx.now(),
    state: 'active',
    anomaly_score: score,
    country,
  })
  const { ip, user_agent } = ctx.request
  await rememberSignIn(by, { user, ip, user_agent, country })
  return result
}
