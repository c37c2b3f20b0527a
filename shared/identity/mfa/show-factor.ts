// Checks a second factor and returns the changes that its use makes. The factor counts only after the caller has committed them:
// otherwise one code could be used twice.
import * as z from 'zod'
import type { Change } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { User } from '../accounts/user.ts'
import { takeChallenge } from './challenge.ts'
import { changeFactor, concurrentAttempt, type Factor, recoveryCodes } from './factor.ts'
import { positionOf } from './recovery.ts'
import { showCode } from './totp-factor.ts'

export const METHODS = ['totp', 'webauthn', 'recovery_code'] as const
export type Method = (typeof METHODS)[number]

/** As people type it: six digits, or a recovery code, with or without spaces. */
export const Code = z
  .string()
  .max(64)
  .transform((text) => text.replaceAll(/\s/g, ''))

export type FactorInput = {
  method: Method
  code?: string | undefined
  credential?: Record<string, unknown> | undefined
  challenge_id?: string | undefined
}

/** `amr`: RFC 8176. */
export type FactorProof = { method: Method; amr: string[]; writes: Write[]; changes: Change[]; mails: Mail[] }

/** Throws 422 for a request without a factor, before an attempt is counted. */
export function mustHaveProof({ method, code, credential }: FactorInput): void {
  if (method === 'webauthn' && credential === undefined) throw invalid(['credential'], 'field required', 'missing')
  if (method !== 'webauthn' && code === undefined) throw invalid(['code'], 'field required', 'missing')
}

/** Undefined for a wrong or used factor. Throws 429 while the factors of that kind are locked. */
export async function showFactor(
  ctx: Context,
  user: User,
  known: readonly Stored<Factor>[],
  input: FactorInput,
): Promise<FactorProof | undefined> {
  if (input.method === 'totp') return totp(ctx, known, input)
  if (input.method === 'webauthn') return passkey(ctx, user, known, input)
  return recoveryCode(ctx, user, input)
}

async function totp(ctx: Context, known: readonly Stored<Factor>[], { code = '' }: FactorInput) {
  const proof = await showCode(ctx, known, code)
  return proof && proofOf('totp', ['otp', 'mfa'], [proof.write])
}

async function passkey(
  ctx: Context,
  user: User,
  known: readonly Stored<Factor>[],
  { challenge_id = '', credential = {} }: FactorInput,
) {
  const challenge = await takeChallenge(ctx, user, challenge_id, 'verify')
  const factor = known.find((each) => each.type === 'webauthn' && each.credential_id === credential.id)
  if (challenge === undefined || factor?.type !== 'webauthn') return undefined
  const { readAnswer } = await import('./webauthn.ts')
  const counter = await readAnswer(credential, challenge, factor)
  if (counter === undefined) return undefined
  const used = changeFactor(factor, { counter, last_used_at: iso(ctx.now()) })
  return proofOf('webauthn', [factor.synced ? 'swk' : 'hwk', 'user', 'mfa'], [used])
}

async function recoveryCode(ctx: Context, user: User, { code = '' }: FactorInput): Promise<FactorProof | undefined> {
  const stored = await ctx.table.get(recoveryCodes, { tenant_id: user.tenant_id, user_id: user.id })
  if (!stored) return undefined
  const position = await positionOf(user, stored.codes, code, ctx.now())
  if (position < 0) return undefined
  const codes = stored.codes.toSpliced(position, 1)
  const left = codes.length
  return {
    ...proofOf(
      'recovery_code',
      ['otp', 'mfa'],
      [recoveryCodes.replace({ ...stored, codes }, stored, concurrentAttempt())],
    ),
    changes: [
      {
        action: 'mfa.recovery_code_used',
        artifact: 'identity.mfa.recovery_code_used',
        subject: { type: 'user', id: user.id, name: user.name },
        data: { left },
      },
    ],
    mails: [
      newMail(ctx, 'mfa_changed', { user_id: user.id }, { change: `a recovery code was used, ${left} are left` }),
    ],
  }
}

const proofOf = (method: Method, amr: string[], writes: Write[]): FactorProof => ({
  method,
  amr,
  writes,
  changes: [],
  mails: [],
})

/** The fields of a form for a second factor. */
export type FactorFields = { step: string; code?: string; challenge_id?: string; credential?: string }

const TOTP = /^\d{6}$/

/** The factor that a form sends: a code that was typed, or the answer of a passkey. */
export function proofIn({ step, code = '', challenge_id, credential = '' }: FactorFields): FactorInput {
  if (step === 'passkey') return { method: 'webauthn', challenge_id, credential: objectIn(credential) }
  const typed = code.replaceAll(/[\s-]/g, '')
  return { method: TOTP.test(typed) ? 'totp' : 'recovery_code', code: typed }
}

/** Empty when the text is not a JSON object. */
export function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
