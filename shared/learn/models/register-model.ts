import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import { beginModel, type Model } from './model.ts'
import { allSlots, SLOTS_MAX, slots } from './slot.ts'

export type NewModel = Pick<
  Model,
  | 'id'
  | 'name'
  | 'type'
  | 'artifact'
  | 'metrics'
  | 'quality_gate'
  | 'predictions'
  | 'job_id'
  | 'dataset_id'
  | 'dataset_sha256'
>

/**
 * A new version of a name, as part of the commit that makes it, which is repeated when it is overtaken. Throws 409 for one name
 * too many.
 */
export async function registerModel(
  ctx: Context,
  facts: NewModel,
): Promise<{ model: Model; writes: Write[]; transition: Transition }> {
  const { table, space, principal } = ctx
  const was = await table.get(slots, { ...space, slot: facts.name })
  if (!was) await mustHaveRoom(ctx)
  const model_version = (was?.latest_version ?? 0) + 1
  const next = { ...space, slot: facts.name, history: [], ...was, latest_version: model_version }
  const {
    item: model,
    write,
    transition,
  } = beginModel(ctx, {
    ...space,
    ...facts,
    model_version,
    status: 'registered',
    created_at: iso(ctx.now()),
    created_by: { type: principal.kind, id: principal.id },
  })
  const slot = was ? slots.replace(next, was, new Overtaken()) : slots.insert(next, new Overtaken())
  return { model, writes: [write, slot], transition }
}

async function mustHaveRoom({ table, space }: Context): Promise<void> {
  if ((await allSlots(table, space)).length >= SLOTS_MAX)
    throw conflict(`You have ${SLOTS_MAX} names of models already. Use one of them.`)
}
