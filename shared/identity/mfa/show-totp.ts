// Checks a code of an authenticator app. Every attempt, right or wrong, changes the factor as it was read, so that of
// concurrent guesses only one is evaluated.
import { tooManyAttempts } from '../security-events/block.ts'
import type { Context } from '../../base/context.ts'
import { textSeal } from '../../ledger/sealing/seal.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { changeFactor, type Factor, factors, homeOf, type Totp } from './factor.ts'
import { afterFailure, UNLOCKED } from './lockout.ts'
import { stepOfCode } from './totp.ts'

const sealed = textSeal('secret')

export const sealSecret = (of: Pick<Totp, 'tenant_id' | 'user_id' | 'id'>, secret: Uint8Array): Promise<string> =>
  sealed.seal(homeOf(of), factors.key(of), Buffer.from(secret).toString('base64'))

const openSecret = async (of: Totp): Promise<Buffer> =>
  Buffer.from(await sealed.open(homeOf(of), factors.key(of), of.secret), 'base64')

const isTotp = (factor: Stored<Factor>): factor is Stored<Totp> => factor.type === 'totp'

/**
 * The change of the app whose code was accepted. Undefined for a wrong or used code, which counts as a failure of every app.
 * Throws 429 when all apps of the person are locked.
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
