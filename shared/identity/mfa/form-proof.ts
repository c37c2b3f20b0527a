// A second factor in a form: a code that was typed, or the answer of a passkey.
import type { FactorInput } from './show-factor.ts'

export type FactorFields = { step: string; code?: string; challenge_id?: string; credential?: string }

const TOTP = /^\d{6}$/

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
