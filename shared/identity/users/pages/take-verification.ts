// What the page behind a verification link sends. Apart from the page, whose function reaches no passwords.
import type { Context } from '../../../base/context.ts'
import { Failure } from '../../../base/lib/failure.ts'
import type { HttpResponse } from '../../../base/wire/call.ts'
import { knowsPassword } from '../change-password.ts'
import { confirmed, showVerification } from './verified.ts'
import { verifyEmail } from '../verify-email.ts'

type Form = { token: string; password: string }

/** Verifies the address, or shows the form again with the problem. */
export async function takeVerification(ctx: Context, { token, password }: Form): Promise<HttpResponse> {
  try {
    const { email, first } = await verifyEmail(ctx, {
      token,
      knowsPassword: (by, user) => knowsPassword(by, user, password),
    })
    return confirmed(email, first)
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.detail !== 'string') throw error
    return showVerification(ctx, token, { text: error.detail, status: error.status })
  }
}
