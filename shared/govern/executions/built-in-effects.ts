// The effects of actions of the service itself, which join the transaction of their execution. What layers above change is
// registered by every function that moves executions.
import type { BuiltInEffect, BuiltInEffects, Effect } from '../../base/ports/built-in-effects.ts'
import type { Context } from '../../base/context.ts'
import type { Following } from '../../base/table/entity.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { CUSTOM_NODE_ID, isOwn } from '../manifests/platform-nodes.ts'
import type { Execution } from './execution.ts'

const registered: Record<string, () => Promise<BuiltInEffect>> = {
  [`${CUSTOM_NODE_ID}/push`]: async () => (await import('./custom-metrics.ts')).pushEffect,
}

export const registerEffects = (effects: BuiltInEffects): void => void Object.assign(registered, effects)

/** What running the action changes; nothing, unless it is one of the service itself. */
export async function effectOf(ctx: Context, execution: Execution, payload: JsonObject): Promise<Effect> {
  const effect = await find(execution)
  return effect ? effect.run(ctx, { execution, payload }) : { writes: [], measures: [] }
}

/** What follows when the action will never run. */
export const withoutEffect = (ctx: Context, execution: Execution): Following[] =>
  isOwn(execution.node_id)
    ? [{ following: async () => (await (await find(execution))?.ended?.(ctx, execution)) ?? [] }]
    : []

async function find({ node_id, action_id }: Execution): Promise<BuiltInEffect | undefined> {
  if (!isOwn(node_id)) return undefined
  const load = registered[`${node_id}/${action_id}`]
  if (!load) throw new Error(`nothing is registered for ${node_id}/${action_id}`)
  return load()
}
