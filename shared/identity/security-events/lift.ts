// An administrator lets an account in again. An address may have accounts in several tenants and is blocked as a whole, so
// nobody may lift without limit: an administrator elsewhere could open the way to guess the password of yours.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { emailHash, type User } from '../users/user.ts'
import { accountBlock } from './attempts.ts'
import { blocks } from './block.ts'
import { factorsBlock } from './wrong-codes.ts'
import { count, tallies, type TallyKey, windowsOf } from './tally.ts'

/** In 24 hours, for one address. */
export const LIFTS_MAX = 5

/**
 * The writes that end the blocks of an account and forget what led to them, for the transaction that takes `locked_until`
 * from it. Throws conflict when its address was let in too often.
 */
export async function liftBlocks(ctx: Context, user: User): Promise<Write[]> {
  const address = emailHash(user.email ?? user.id)
  const lifts = await count(ctx.table, { counted: 'lifts', of: address }, ctx.request.request_id)
  if (lifts.length > LIFTS_MAX) throw conflict('this account was unlocked too often today; its block ends by itself')
  const forgotten: TallyKey[] = [
    { counted: 'failures', of: address },
    { counted: 'codes', of: user.id },
  ]
  return [
    blocks.remove(accountBlock(address)),
    blocks.remove(factorsBlock(user.id)),
    ...forgotten.flatMap((of) => windowsOf(of, ctx.now())).map((window) => tallies.remove(window)),
  ]
}
