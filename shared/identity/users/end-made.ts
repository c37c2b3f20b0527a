// How rooms of this layer end what an account made in the layers above. `functions/first-proof.ts`
// fills this, because no layer knows those above it.
import type { Context } from '../../base/context.ts'
import type { User } from '../accounts/user.ts'

/** Ends credentials, receivers and requests that the account made. May be repeated. */
export type EndMade = (ctx: Context, user: User) => Promise<void>

let registered: EndMade | undefined

export function registerEndMade(end: EndMade): void {
  registered = end
}

/** A function that proves addresses and does not import `functions/first-proof.ts` fails, and proves nothing. */
export function endMade(ctx: Context, user: User): Promise<void> {
  if (!registered) throw new Error('nothing is registered that ends what an account made')
  return registered(ctx, user)
}
