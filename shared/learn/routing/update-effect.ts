// What an approval of a routing update changes, and what becomes of one that nobody approves. Both join the transaction of the
// execution.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import type { BuiltInEffect } from '../../govern/executions/built-in-effects.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { freedTarget } from './move-update.ts'
import { moveUpdate, type RoutingUpdate, routingUpdates, updateIdOf } from './update.ts'

/** After its approval an update can be applied for so long. */
const APPLICABLE_MS = 14 * DAY_MS

/**
 * `run`: the update is approved, and can be applied for 14 days; it has no effect before that. Throws 403 for a person who
 * proposed it. `ended`: the update ends with its execution, and its target is free for another one.
 */
export const updateEffect: BuiltInEffect = {
  run: async (ctx, { execution }) => {
    const was = await updateOf(ctx, execution)
    if (was?.status !== 'proposed') throw conflict('The routing update of this request no longer waits for approval.')
    mustBeAnother(ctx, was)
    const now = ctx.now()
    const { write, transition } = moveUpdate(ctx, was, 'approved', {
      approval_id: execution.held?.id,
      approved_by: { type: ctx.principal.kind, id: ctx.principal.id },
      approved_at: iso(now),
      expires_at: iso(now + APPLICABLE_MS),
    })
    return { writes: [write, ...commitWith(ctx, [transition])], measures: [] }
  },

  ended: async (ctx, execution) => {
    const was = await updateOf(ctx, execution)
    if (was?.status !== 'proposed') return []
    const { write, transition } = moveUpdate(ctx, was, execution.status === 'rejected' ? 'rejected' : 'expired', {
      approval_id: execution.held?.id,
    })
    return [write, ...(await freedTarget(ctx, was)), ...commitWith(ctx, [transition])]
  },
}

const updateOf = ({ table, space }: Context, { id }: Execution) =>
  table.get(routingUpdates, { ...space, id: updateIdOf(id) })

/** Also where a tenant lets people approve what they asked for: nobody loosens by themselves. */
export function mustBeAnother({ principal }: Context, { persons, proposed_by }: RoutingUpdate): void {
  if (principal.id === proposed_by.id || principal.persons.some((person) => persons.includes(person)))
    throw forbidden('You cannot approve or apply a routing update that you proposed.')
}
