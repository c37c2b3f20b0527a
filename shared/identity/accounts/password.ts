// Rules for passwords. Length protects, so no kinds of characters are demanded (NIST SP 800-63B, 3.1.1.2).
import * as z from 'zod'
import { invalid } from '../../base/lib/failure.ts'
import { canonicalMailbox, isMailbox, MAILBOX_MAX, MAILBOX_SHAPE } from '../../base/lib/mailbox.ts'

export const PASSWORD_MAX = 256

/** A password in a request. `goodPassword` checks it against the rules of its account. */
export const Password = z.string().min(1).max(PASSWORD_MAX)

/** Shorter names occur in too many words to forbid them. */
const LOCAL_PART_MIN = 4

type Whose = { email: string | null; min_length: number; field?: string }

/** Returns the password in NFC, so that it is the same from every keyboard. Throws 422 about `field`. */
export function goodPassword(password: string, { email, min_length, field = 'password' }: Whose): string {
  const normal = password.normalize('NFC')
  if ([...normal].length < min_length)
    throw invalid([field], `The password must have at least ${min_length} characters. Choose a longer one.`)
  if (normal.length > PASSWORD_MAX)
    throw invalid([field], `The password must have at most ${PASSWORD_MAX} characters. Choose a shorter one.`)
  const name = email?.split('@')[0]?.toLowerCase() ?? ''
  if (name.length >= LOCAL_PART_MIN && normal.toLowerCase().includes(name)) {
    throw invalid([field], 'The password must not contain the name in your e-mail address. Choose another one.')
  }
  return normal
}

/** An address in any of its forms; read as the one that is stored (`canonicalMailbox`). `emailHash` says which addresses are equal. */
export const Email = z
  .string()
  .max(MAILBOX_MAX)
  .regex(MAILBOX_SHAPE, { error: 'is not an e-mail address such as ada@example.com', abort: true })
  .refine(isMailbox, 'is too long, or has a host that no mail can be sent to')
  .overwrite((text) => canonicalMailbox(text) ?? text)
  .meta({ format: 'idn-email' })
  .describe('The e-mail address.')
