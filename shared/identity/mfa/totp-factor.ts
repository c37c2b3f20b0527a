// An authenticator app is added in two steps: it gets a secret, and its first correct code makes it a factor.
import { mustHaveOpenFactors, noteWrongCode } from '../security-events/attempts.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid, notFound } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { otpauthUri, SECRET_BYTES, stepOfCode, toBase32 } from './totp.ts'
import { beginEnrolment, enrolment } from './enrol.ts'
import { type Added, changeFactor, concurrentAttempt, type Factor, factors, homeOf, type Totp } from './factor.ts'
import { tooManyAttempts } from '../security-events/block.ts'
import { textSeal } from '../../ledger/sealing/seal.ts'

const WAITS_MS = 15 * 60_000

/** Returns the secret, which is shown only here. Removes earlier apps that were never confirmed. */
export async function beginTotp(ctx: Context, { name = 'Authenticator app' }: { name?: string | undefined }) {
  const { user, waiting } = await beginEnrolment(ctx, 'totp')
  const secret = Buffer.from(ctx.random(SECRET_BYTES))
  const of = { tenant_id: user.tenant_id, user_id: user.id, id: ctx.id('mfa') }
  const expires_at = ctx.now() + WAITS_MS
  const factor: Totp = {
    ...of,
    type: 'totp',
    name,
    created_at: iso(ctx.now()),
    last_used_at: null,
    expires_at,
    secret: await sealSecret(of, secret),
    last_step: 0,
    ...UNLOCKED,
  }
  await ctx.table.commit([...waiting.map(removal), factors.insert(factor)], of.id)
  return {
    factor_id: of.id,
    secret: toBase32(secret),
    otpauth_uri: otpauthUri(secret, user.email ?? user.name),
    expires_at: iso(expires_at),
  }
}

/** Fails when the app was confirmed meanwhile, which makes it a factor. */
const removal = (former: Factor): Write =>
  factors.remove(
    former,
    { expression: 'attribute_not_exists(pk) OR attribute_exists(#expires_at)', names: { '#expires_at': 'expires_at' } },
    concurrentAttempt(),
  )

/** Throws 404 for an app that does not wait for confirmation, 422 for a wrong code. */
export async function confirmTotp(
  ctx: Context,
  { factor_id, code }: { factor_id: string; code: string },
): Promise<Added<Factor>> {
  const { user, waiting } = await beginEnrolment(ctx, 'totp')
  const factor = waiting.find(({ id }) => id === factor_id)
  if (factor?.type !== 'totp') throw notFound('factor')
  await mustHaveOpenFactors(ctx, user.id)
  const proof = await showCode(ctx, [factor], code)
  if (!proof) {
    await noteWrongCode(ctx, user)
    throw invalid(['code'], 'This is not the current code of the app. Enter the code that it shows now.')
  }
  const { expires_at: _, ...confirmed } = { ...factor, ...proof.accepted }
  const { writes, recovery_codes } = await enrolment(ctx, { user, factor: confirmed, amr: ['otp', 'mfa'] })
  await ctx.table.commit([factors.replace(confirmed, factor, concurrentAttempt()), ...writes], factor.id)
  return { ...confirmed, recovery_codes }
}

const sealed = textSeal('secret')

const sealSecret = (of: Pick<Totp, 'tenant_id' | 'user_id' | 'id'>, secret: Uint8Array): Promise<string> =>
  sealed.seal(homeOf(of), factors.key(of), Buffer.from(secret).toString('base64'))

const openSecret = async (of: Totp): Promise<Buffer> =>
  Buffer.from(await sealed.open(homeOf(of), factors.key(of), of.secret), 'base64')

const isTotp = (factor: Stored<Factor>): factor is Stored<Totp> => factor.type === 'totp'

/**
 * Checks a code of an authenticator app, and returns the change of the app that accepts it. Undefined for a wrong or used code,
 * which counts as a failure of every app. Throws 429 when all apps of the person are locked. Every attempt, right or wrong,
 * changes the factor as it was read, so that of concurrent guesses only one is evaluated; the others get 409.
 */
export async function showCode(ctx: Context, known: readonly Stored<Factor>[], code: string) {
  const now = ctx.now()
  const apps = known.filter(isTotp)
  const open = apps.filter(({ locked_until }) => locked_until <= now)
  if (apps.length > 0 && open.length === 0) {
    throw tooManyAttempts(Math.min(...apps.map(({ locked_until }) => locked_until)) - now, now)
  }
  const steps = await Promise.all(
    open.map(async (app) => ({
      app,
      step: stepOfCode(await openSecret(app), code, { now, usedUpTo: app.last_step }),
    })),
  )
  const fitting = steps.find(({ step }) => step !== undefined)
  if (fitting?.step === undefined) {
    if (open.length > 0) await ctx.table.commit(open.map((app) => changeFactor(app, afterFailure(app, now))))
    return undefined
  }
  const accepted = { last_step: fitting.step, last_used_at: iso(now), ...UNLOCKED }
  return { accepted, write: changeFactor(fitting.app, accepted) }
}

const FAILURES_MAX = 5
const WITHIN_MS = 5 * 60_000
const LOCKED_MS = 15 * 60_000

/** `failures` and `locked_until`: instants in ms. */
export type Lock = { failures: number[]; locked_until: number }

export const UNLOCKED: Lock = { failures: [], locked_until: 0 }

/** The lock of an app after one more wrong code: the fifth within five minutes locks for fifteen. */
export function afterFailure({ failures }: Pick<Lock, 'failures'>, now: number): Lock {
  const recent = [...failures.filter((at) => at > now - WITHIN_MS), now]
  return recent.length < FAILURES_MAX
    ? { failures: recent, locked_until: 0 }
    : { failures: [], locked_until: now + LOCKED_MS }
}
