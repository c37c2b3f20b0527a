// What a password must be. Length is what protects, so there are no rules of composition (NIST SP 800-63B, 3.1.1.2).
import * as z from 'zod'
import { invalid } from '../../base/lib/failure.ts'

export const PASSWORD_MAX = 256

/** The form of a password in a request. Whether it is good enough depends on whose it is: `goodPassword`. */
export const Password = z.string().min(1).max(PASSWORD_MAX)

/** A shorter name in an address occurs in too many words to be refused. */
const LOCAL_PART_MIN = 4

type Whose = { email: string | null; min_length: number; field?: string }

/** The password in NFC, so that it is the same from every keyboard. Throws 422 about `field`. */
export function goodPassword(password: string, { email, min_length, field = 'password' }: Whose): string {
  const normal = password.normalize('NFC')
  if ([...normal].length < min_length) throw invalid([field], `must have at least ${min_length} characters`)
  if (normal.length > PASSWORD_MAX) throw invalid([field], `must have at most ${PASSWORD_MAX} characters`)
  const name = email?.split('@')[0]?.toLowerCase() ?? ''
  if (name.length >= LOCAL_PART_MIN && normal.toLowerCase().includes(name)) {
    throw invalid([field], 'must not contain the name in the e-mail address')
  }
  return normal
}
