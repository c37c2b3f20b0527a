// What a person has yet to prove after a directory made their account or changed how it is opened. Until then the account is
// good for what members may, so that whoever holds the key of the directory gets no more by it (decision 0174).
import * as z from 'zod'

/**
 * In the order of strength. `address`: any link that was mailed to the person. `password`: the directory knows the password, so
 * only a link that sets another one. `provider`: the mailbox may not be the person's, so only a sign-in through the tenant's
 * identity provider.
 */
export const ProofDue = z.enum(['address', 'password', 'provider'])
export type ProofDue = z.output<typeof ProofDue>

const STRENGTH = ProofDue.options

/** What is due once another proof is due as well. A proof that was due stays due. */
export const stronger = (was: ProofDue | undefined, next: ProofDue): ProofDue =>
  was !== undefined && STRENGTH.indexOf(was) > STRENGTH.indexOf(next) ? was : next

/** What is due after the person has given this proof. */
export const dueAfter = (due: ProofDue | undefined, given: ProofDue): ProofDue | undefined =>
  due === undefined || STRENGTH.indexOf(due) <= STRENGTH.indexOf(given) ? undefined : due
