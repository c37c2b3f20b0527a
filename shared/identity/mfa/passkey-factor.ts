// A passkey or security key is added in two steps: the browser gets a challenge, and its answer becomes the factor.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { ownUser } from '../accounts/find.ts'
import { takeChallenge, type Purpose } from './challenge.ts'
import { enrolment, beginEnrolment } from './enrol.ts'
import { type Added, factors, factorsOf, type Passkey } from './factor.ts'
import { askForNewPasskey, askForPasskey } from './webauthn-options.ts'

/** Options for the browser. Throws 409 when the person has no passkey to verify. */
export async function passkeyOptions(ctx: Context, { purpose }: { purpose: Purpose }) {
  if (purpose === 'register') {
    const { user, active } = await beginEnrolment(ctx, 'webauthn')
    return askForNewPasskey(ctx, user, active)
  }
  const user = await ownUser(ctx)
  const options = await askForPasskey(ctx, user, await factorsOf(ctx.table, user))
  if (!options) throw conflict('You have no passkey yet. Add one first.')
  return options
}

export type AddPasskey = { challenge_id: string; credential: Record<string, unknown>; name: string }

/**
 * Adds the passkey that answers the challenge; with a person's first factor come recovery codes. Throws 422 for an answer that does not
 * match its challenge, which is used up in any case; 403 without a fresh sign-in; 409 for a passkey that is a factor already.
 */
export async function addPasskey(
  ctx: Context,
  { challenge_id, credential, name }: AddPasskey,
): Promise<Added<Passkey>> {
  const { user, active } = await beginEnrolment(ctx, 'webauthn')
  const challenge = await takeChallenge(ctx, user, challenge_id, 'register')
  if (challenge === undefined)
    throw invalid(['challenge_id'], 'This challenge is unknown, used or expired. Ask for new options.')
  const { readNewPasskey } = await import('./webauthn.ts')
  const read = await readNewPasskey(credential, challenge)
  if (!read)
    throw invalid(['credential'], 'The credential does not answer the challenge. Ask for new options and try again.')
  const known = active.some((each) => each.type === 'webauthn' && each.credential_id === read.credential_id)
  if (known) throw conflict('This passkey is already one of your factors. Use another one.', { code: 'already_exists' })
  const factor: Passkey = {
    tenant_id: user.tenant_id,
    user_id: user.id,
    id: ctx.id('mfa'),
    type: 'webauthn',
    name,
    created_at: iso(ctx.now()),
    last_used_at: null,
    ...read,
  }
  const amr = [read.synced ? 'swk' : 'hwk', 'user', 'mfa']
  const { writes, recovery_codes } = await enrolment(ctx, { user, factor, amr })
  await ctx.table.commit([factors.insert(factor), ...writes], factor.id)
  return { ...factor, recovery_codes }
}
