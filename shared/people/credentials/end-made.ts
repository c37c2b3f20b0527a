// Ends everything that an account made before somebody proved its address, in all layers (decision 0178). Its sessions have ended before,
// so nothing new comes. It may be repeated.
import { type Context, createContext } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { MODES } from '../../base/table/members.ts'
import { removeEndpoint } from '../../deliver/webhooks/endpoints/create.ts'
import { endpointsMadeBy } from '../../deliver/webhooks/endpoints/sealed-parts.ts'
import { delegations, delegationsOf } from '../../govern/delegations/delegation.ts'
import { endDelegation } from '../../govern/delegations/end.ts'
import type { User } from '../../identity/accounts/user.ts'
import { endAllHeld } from './revoke-credentials.ts'

/**
 * Afterwards no webhook endpoint, delegation, key, client, session or request of the account is left. `ctx` acts as the person. Each thing
 * ends by a commit of its own, so a crash leaves some of them, which a repeat ends.
 */
export async function endMade(ctx: Context, user: User): Promise<void> {
  await endReceivers(ctx, user)
  await endDelegations(ctx, user)
  await endAllHeld(ctx, user)
}

async function endReceivers(ctx: Context, { id: user_id }: User): Promise<void> {
  for (const { mode, id } of await endpointsMadeBy(ctx, user_id)) {
    await unlessGone(removeEndpoint(inMode(ctx, mode), { id }))
  }
}

async function endDelegations(ctx: Context, { id }: User): Promise<void> {
  for (const mode of MODES) {
    const inside = inMode(ctx, mode)
    for (const given of await ctx.table.query(delegations, delegationsOf(inside.space, id))) {
      if (given.ended_at === undefined) await unlessGone(endDelegation(inside, given.id))
    }
  }
}

const inMode = (ctx: Context, mode: Context['space']['mode']) =>
  createContext({ ...ctx, space: { ...ctx.space, mode } })

/** It is no error if a repeat, or somebody else, has ended the thing meanwhile. */
async function unlessGone(ending: Promise<unknown>): Promise<void> {
  try {
    await ending
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not_found') throw error
  }
}
