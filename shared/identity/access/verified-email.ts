// What waits for a proof that the caller's e-mail address is their own (decision 0178). The request layers ask it of every row;
// pages and registration tokens, which no layer knows, ask it here.
import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'

/** Throws 403 for a person whose address is not verified, and for a credential that such a person made. */
export function mustHaveVerifiedEmail({
  email_verified,
  user_id,
}: Pick<Principal, 'email_verified' | 'user_id'>): void {
  if (email_verified === false) throw forbidden(user_id === undefined ? OF_MAKER : OWN, { code: 'address_unverified' })
}

const OWN =
  'Your e-mail address is not verified. Open the link in the mail that we sent you, then repeat the request. ' +
  'POST /api/v1/auth/resend-verification sends it again.'

const OF_MAKER =
  'The e-mail address of the person who made this credential is not verified. Ask them to open the link in their mail.'
