import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'

/** Throws 403 while the caller's address is not verified, as after founding a tenant. */
export function mustHaveVerifiedEmail({ email_verified }: Pick<Principal, 'email_verified'>): void {
  if (email_verified === false)
    throw forbidden(
      'Your e-mail address is not verified. Open the link in the mail that we sent you, then repeat the request.',
    )
}
