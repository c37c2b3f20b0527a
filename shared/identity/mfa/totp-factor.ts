// An authenticator app is added in two steps: it gets a secret, and its first correct code makes it a factor.
import { mustHaveOpenFactors, noteWrongCode } from '../security-events/wrong-codes.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid, notFound } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { toBase32 } from './base32.ts'
import { enrolment, beginEnrolment } from './enrol.ts'
import { type Added, concurrentAttempt, type Factor, factors, type Totp } from './factor.ts'
import { UNLOCKED } from './lockout.ts'
import { sealSecret, showCode } from './show-totp.ts'
import { otpauthUri, SECRET_BYTES } from './totp.ts'

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
