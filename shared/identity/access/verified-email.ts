import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'

/** Throws 403 for a person whose own address nobody has confirmed yet: founders of new tenants. */
export function mustHaveVerifiedEmail({ email_verified }: Pick<Principal, 'email_verified'>): void {
  if (email_verified === false) throw forbidden('verify your e-mail address first')
}
