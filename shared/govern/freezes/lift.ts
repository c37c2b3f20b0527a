import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { mustBeInPerson } from '../../identity/access/assurance.ts'
import { readFreezes } from '../governance/freeze.ts'
import { moveFreezes } from '../governance/governance.ts'
import { storedTexts } from '../governance/pii/stored-text.ts'
import { findPointer } from '../governance/settings.ts'
import { freezeChange } from './change.ts'
import { findFreeze, type Freeze, freezes } from './freeze.ts'

export const LiftFreezeBody = z.strictObject({ reason: z.string().min(1).max(500).describe('The reason, for people.') })

/** Only a person with a fresh second factor lifts a freeze. A repeat changes nothing. */
export async function liftFreeze(
  ctx: Context,
  id: string,
  given: string,
): Promise<{ freeze: Freeze; repeated: boolean }> {
  await findFreeze(ctx.table, ctx.space, id)
  mustBeInPerson(ctx, await freshTenant(ctx.table, ctx.space.tenant_id))
  const { reason } = await storedTexts(ctx, { reason: given })
  return retryWhenOvertaken(() => lift(ctx, id, reason))
}

async function lift(ctx: Context, id: string, reason: string) {
  const [was, pointer] = await Promise.all([findFreeze(ctx.table, ctx.space, id), findPointer(ctx.table, ctx.space)])
  if (was.status === 'lifted') return { freeze: was, repeated: true }
  const { kind: type, id: by } = ctx.principal
  const freeze: Freeze = {
    ...was,
    status: 'lifted',
    lifted_by: { type, id: by },
    lifted_at: iso(ctx.now()),
    lift_reason: reason,
    lift_artifact_id: ctx.id('art'),
  }
  const left = readFreezes(pointer).filter((one) => one.id !== id)
  await ctx.table.commit(
    [
      moveFreezes(pointer, left, new Overtaken()),
      freezes.replace(freeze, was, new Overtaken()),
      ...freezeChange(ctx, freeze, 'lifted'),
    ],
    id,
  )
  return { freeze, repeated: false }
}
