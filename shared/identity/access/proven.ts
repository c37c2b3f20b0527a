import type { Principal } from '../../base/context.ts'
import { type Failure, forbidden } from '../../base/lib/failure.ts'

type Due = NonNullable<Principal['proof_due']>

const HOW: Record<Due, string> = {
  address: 'Open the link of the mail that POST /api/v1/auth/resend-verification sends',
  password: 'Set a password by the link of the mail that POST /api/v1/auth/password/forgot sends',
  provider: 'Ask an administrator to set your address',
}

/** `what`: what the person cannot do yet, as a sentence. `lacks`: the permission that it needs. */
export const proofRequired = (due: Due, what: string, lacks?: string): Failure =>
  forbidden(
    `${what} A directory has changed how your account is opened, so you have the permissions of a member until you prove ` +
      `that it is yours. ${HOW[due]}, or sign in through your identity provider. Then repeat the request.`,
    { code: 'proof_required', ...(lacks !== undefined && { lacks }) },
  )

/** Throws 403 while a directory could have opened the account (decision 0174). */
export function mustBeProven({ proof_due }: Pick<Principal, 'proof_due'>, what: string): void {
  if (proof_due !== undefined) throw proofRequired(proof_due, what)
}
