// Lifts the block of an account. A block covers an address with its accounts in all tenants, so lifting is limited: otherwise
// an administrator of one tenant could help to guess a password of another.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { emailHash, type User } from '../accounts/user.ts'
import { accountBlock } from './attempts.ts'
import { blocks } from './block.ts'
import { factorsBlock } from './wrong-codes.ts'
import { count, tallies, type TallyKey, windowsOf } from './tally.ts'

/** Most lifts for one address in 24 hours. */
export const LIFTS_MAX = 5

/**
 * The writes that end the blocks of an account and reset its counters, for the transaction that clears `locked_until`. Throws
 * 409 when its address was unblocked too often.
 */
export async function liftBlocks(ctx: Context, user: User): Promise<Write[]> {
  const address = emailHash(user.email ?? user.id)
  const lifts = await count(ctx.table, { counted: 'lifts', of: address }, ctx.request.request_id)
  if (lifts.length > LIFTS_MAX) throw conflict('You cannot unlock this account again today. Wait until its block ends.')
  const counters: TallyKey[] = [
    { counted: 'failures', of: address },
    { counted: 'codes', of: user.id },
  ]
  return [
    blocks.remove(accountBlock(address)),
    blocks.remove(factorsBlock(user.id)),
    ...counters.flatMap((of) => windowsOf(of, ctx.now())).map((window) => tallies.remove(window)),
  ]
}
