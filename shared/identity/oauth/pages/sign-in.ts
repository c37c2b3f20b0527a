// Sign-in on the pages of the OAuth server: the same password check as elsewhere, then the second factor. The result is a
// login of this server, so the tokens of the user pool are revoked at once.
import type { SignIn } from 'oidc-provider'
import { invalidToken } from '../../access/link.ts'
import { noteSuccess, rememberSignIn } from '../../security-events/note-success.ts'
import { mustHaveOpenFactors } from '../../security-events/attempts.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import type { EventDraft } from '../../../ledger/events/event.ts'
import { Failure, forbidden } from '../../../base/lib/failure.ts'
import { factorsOf } from '../../mfa/factor.ts'
import { asksForFactor, needsEnrolment } from '../../mfa/policy.ts'
import { countsFromProvider } from '../../access/assurance.ts'
import { type FactorInput, type Method, showFactor } from '../../mfa/show-factor.ts'
import { factorEvidence, wrongFactor } from '../../mfa/verify-sign-in.ts'
import { mustBeAllowedIn, noteSignIn } from '../../sessions/open-session.ts'
import { checkPasskey } from '../../sign-in/passkey.ts'
import { checkSignIn } from '../../sign-in/password-sign-in.ts'
import { takeCode } from '../../sso/one-time-code.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { actingAs } from '../../accounts/find.ts'
import { revokePoolToken } from '../../accounts/pool.ts'
import type { User } from '../../accounts/user.ts'
import { provenByProvider } from '../../users/first-proof.ts'
import { activeUser } from '../account.ts'
import * as z from 'zod'
import type { Table } from '../../../base/table/table.ts'
import { isFirst } from '../../../base/kernel/retry.ts'
import { artefacts, named } from '../../artefacts/artefact.ts'
import { find, put, remove } from '../../artefacts/store.ts'

/** The account that has signed in; `amr`: the methods (RFC 8176). */
export type Login = { accountId: string; amr: string[]; rests_on: SignIn }

export type Password = { email: string; password: string }

/** `ctx` is inside the client's tenant. Undefined: a second factor is due. Throws a `Failure` whose detail is shown. */
export async function signInByPassword(ctx: Context, uid: string, given: Password): Promise<Login | undefined> {
  const { user, tokens } = await checkSignIn(ctx, { ...given, tenant_id: ctx.space.tenant_id })
  await revokePoolToken(tokens.refresh_token)
  return afterFirstFactor(ctx, uid, user, { method: 'password', amr: ['pwd'], trusted_mfa: false, began_at: ctx.now() })
}

/** The same for a person who returns from the tenant's identity provider with the code of this interaction. */
export async function signInByCode(ctx: Context, uid: string, code: string): Promise<Login | undefined> {
  const { tenant_id, user, ...first } = await takeCode(ctx, { code, interaction: uid })
  if (tenant_id !== ctx.space.tenant_id) throw invalidToken()
  const proven = await provenByProvider(ctx, user, first.began_at)
  return afterFirstFactor(ctx, uid, proven, { ...first, method: 'sso' })
}

/** By a passkey alone, which counts as two factors. */
export async function signInByPasskey(ctx: Context, credential: Record<string, unknown>): Promise<Login> {
  const { by, user, amr, write, score, country } = await checkPasskey(ctx, credential, ctx.space.tenant_id)
  const begun = { user_id: user.id, method: 'passkey', amr: [], score, country, began_at: ctx.now() } as const
  const login = await complete(by, user, begun, { method: 'webauthn', amr }, [write])
  const { ip, user_agent } = ctx.request
  await rememberSignIn(by, { user, ip, user_agent, country })
  return login
}

type First = Pick<HalfSignIn, 'method' | 'amr' | 'session_cap' | 'slo_key' | 'began_at'> & { trusted_mfa: boolean }

async function afterFirstFactor(
  ctx: Context,
  uid: string,
  user: Stored<User>,
  { method, amr, trusted_mfa, session_cap, slo_key, began_at }: First,
): Promise<Login | undefined> {
  const tenant = await tenantOf(ctx.table, user.tenant_id)
  await mustBeAllowedIn(ctx, user, tenant)
  const { ip, user_agent } = ctx.request
  const trusted = trusted_mfa && countsFromProvider(tenant, user)
  if (!trusted && needsEnrolment(tenant, user, ctx.now())) throw forbidden(ENROL_FIRST)
  const by = actingAs(ctx, user)
  const { score, country, demand_second_factor: demanded } = await noteSuccess(by, { user, ip, user_agent })
  const half = { user_id: user.id, method, amr, session_cap, slo_key, score, country, began_at }
  if (asksForFactor(tenant, user, { trusted, demanded })) {
    await keepHalf(ctx, uid, half)
    return undefined
  }
  if (user.mfa_enrolled) await rememberSignIn(by, { user, ip, user_agent, country }) // `noteSuccess` has done it for others
  return complete(by, user, half, { method: 'none', amr: [] })
}

const ENROL_FIRST = 'Your organisation requires a second factor. Set one up in the application of this service first.'

/** Throws 401 for a wrong factor, and with another detail when the sign-in must begin again. */
export async function signInByFactor(ctx: Context, uid: string, showing: FactorInput): Promise<Login> {
  const half = await findHalf(ctx.table, uid)
  const user = half && (await ownerOf(ctx, half))
  if (!user) throw invalidToken()
  const by = actingAs(ctx, user)
  await mustHaveOpenFactors(by, user.id)
  if (!(await takeTry(ctx.table, uid))) {
    await ctx.table.commit([forgetHalf(uid)])
    throw new Failure('unauthenticated', 'You tried too often. Sign in again from the beginning.')
  }
  const factor = await showFactor(by, user, await factorsOf(ctx.table, user), showing)
  if (!factor) throw await wrongFactor(by, user)
  const login = await complete(by, user, half, factor, [
    forgetHalf(uid),
    ...factor.writes,
    ...factorEvidence(by, factor),
  ])
  const { ip, user_agent } = ctx.request
  await rememberSignIn(by, { user, ip, user_agent, country: half.country })
  return login
}

/** The person of a sign-in; undefined when they were suspended or signed out everywhere since its first factor. */
export const ownerOf = (ctx: Context, { user_id: id, began_at }: HalfSignIn): Promise<Stored<User> | undefined> =>
  activeUser(ctx.table, { tenant_id: ctx.space.tenant_id, id, since: Math.floor(began_at / 1_000) })

type Factor = { method: Method | 'none'; amr: string[] }

type By = HalfSignIn['method'] | 'passkey'
type Begun = Omit<HalfSignIn, 'amr' | 'method'> & { method: By; amr: readonly string[] }

async function complete(
  ctx: Context,
  user: User,
  { user_id, method: by, amr, session_cap, slo_key, score, began_at }: Begun,
  { method, amr: more }: Factor,
  first: readonly Write[] = [],
): Promise<Login> {
  const id = ctx.id('ols')
  if (first.length > 0) await ctx.table.commit(first)
  await ctx.table.commit(
    changed(ctx, [
      {
        action: 'session.started',
        artifact: 'identity.session.started',
        subject: { type: 'oauth_session', id },
        data: { user_id, method: by, mfa: method },
        events: [loginEvent(ctx, { id, user_id, method: by, mfa: method, score })],
      },
    ]),
  )
  await noteSignIn(ctx, user)
  const ends_at = session_cap === undefined ? undefined : Math.floor(Date.parse(session_cap) / 1_000)
  const at = Math.floor(began_at / 1_000)
  const rests_on = { at, ...(slo_key !== undefined && { slo_key }), ...(ends_at !== undefined && { ends_at }) }
  return { accountId: user_id, amr: [...new Set([...amr, ...more])], rests_on }
}

type Facts = Pick<HalfSignIn, 'user_id' | 'score'> & { id: string; method: By; mfa: Factor['method'] }

const loginEvent = ({ request }: Context, { id, user_id, method, mfa, score }: Facts): EventDraft => ({
  type: 'user.login',
  subject: { id, version: 1 },
  data: {
    user_id,
    method,
    mfa,
    ip: request.ip,
    user_agent: request.user_agent,
    session_id: id,
    anomaly_score: score,
  },
})

const MODEL = 'HalfSignIn'
const LIFE_SECONDS = 300
const TRIES_MAX = 5

/**
 * A sign-in whose first factor was correct and whose second factor is pending. It belongs to one interaction, expires after five
 * minutes and allows five attempts. No token or session has been issued yet.
 */
const HalfSignIn = z.object({
  user_id: z.string(),
  method: z.enum(['password', 'sso']),
  amr: z.array(z.string()),
  score: z.number(),
  country: z.string().nullable(),
  session_cap: z.string().optional(),
  slo_key: z.string().optional(),
  /** ms. */
  began_at: z.int(),
})
export type HalfSignIn = z.output<typeof HalfSignIn>

async function keepHalf(ctx: Context, uid: string, payload: HalfSignIn): Promise<void> {
  const exp = Math.floor(payload.began_at / 1_000) + LIFE_SECONDS
  const { tenant_id } = ctx.space
  await ctx.table.commit([put(ctx.table, { model: MODEL, id: uid, payload, exp, facts: { tenant_id } })])
}

/** The pending sign-in of an interaction, if there is one. */
export async function findHalf(table: Table, uid: string): Promise<HalfSignIn | undefined> {
  const payload = await find(table, MODEL, uid)
  return payload && HalfSignIn.parse(payload)
}

/** Uses one of the attempts; false when none is left. To be called before the factor is compared. */
async function takeTry(table: Table, uid: string): Promise<boolean> {
  const condition = {
    expression: 'attribute_exists(pk) AND (attribute_not_exists(#tries) OR #tries < :max)',
    values: { ':max': TRIES_MAX },
  }
  return isFirst(table.commit([artefacts.update(named(MODEL, uid), { add: { tries: 1 }, condition })]))
}

const forgetHalf = (uid: string) => remove(MODEL, uid)
