// Signing in on a page of the service: the same verbs as for programs, their answers shown as forms. The state between the two
// factors is in the form, as programs keep it.
import type { Context } from '../../base/context.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { Failure } from '../../base/lib/failure.ts'
import { type FactorFields, objectIn, proofIn } from '../mfa/show-factor.ts'
import { verifySignIn } from '../mfa/verify-sign-in.ts'
import { type MfaRequired, SignInView, type Tokens } from '../sessions/sign-in-view.ts'
import { login } from '../sign-in/login.ts'

export type SignInFields = FactorFields & {
  step: string
  email?: string
  password?: string
  mfa_token?: string
  /** The methods that were asked for, separated by spaces. */
  methods?: string
}

/** What a step of a sign-in leads to. */
export type SignedIn = { tokens: Tokens } | { ask: MfaRequired }

/** Throws a `Failure` whose detail the form shows. */
export async function signIn(ctx: Context, tenant_id: string, fields: SignInFields): Promise<SignedIn> {
  if (fields.step === 'passkey_only') {
    const { signInWithPasskey } = await import('../sign-in/passkey.ts') // most sign-ins need none of it
    const credential = objectIn(fields.credential ?? '')
    return { tokens: await signInWithPasskey(ctx, { credential, tenant_id }) }
  }
  if (fields.step !== 'password') return { tokens: await verifySignIn(ctx, fields.mfa_token ?? '', proofIn(fields)) }
  const { email = '', password = '' } = fields
  if (email === '' || password === '') throw new Failure('unauthenticated', 'Enter your e-mail address and password.')
  return outcomeOf(await login(ctx, { email, password, tenant_id }))
}

/** Of a verb that answers tokens, or what a second factor needs. */
export function outcomeOf(answer: SignInView | HttpResponse): SignedIn {
  const view = SignInView.parse(answer instanceof HttpResponse ? answer.body : answer)
  return 'mfa_required' in view ? { ask: view } : { tokens: view }
}
