// The effects of actions of the service itself, which join the transaction of their execution. What layers above change is
// registered by every function that moves executions, so that executions know none of them.
import type { Measure } from '../../base/catalog/measures.ts'
import type { Context } from '../../base/context.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { CUSTOM_NODE_ID, isOwn } from '../manifests/platform-nodes.ts'
import type { Execution } from './execution.ts'

export type Effect = {
  writes: (Write | Following)[]
  measures: Measure[]
  /** Where the writes put other policies or settings into force: the revision of the pointer that they replace. */
  replaces?: number
}

export type BuiltInEffect = {
  /**
   * Part of the transaction in which the action runs; called again when another change comes first. `execution` is the one
   * before that transaction. Throws a `Failure` that the caller caused: then nothing has happened.
   */
  run: (ctx: Context, run: { execution: Execution; payload: JsonObject }) => Promise<Effect>
  /** Part of the transaction that ends a held action without running it; `execution` as it leaves it. It must not let that fail. */
  ended?: (ctx: Context, execution: Execution) => Promise<Write[]>
}

/** By `<node_id>/<action_id>`. Each is loaded with its first action. */
export type BuiltInEffects = Readonly<Record<string, () => Promise<BuiltInEffect>>>

const registered: Record<string, () => Promise<BuiltInEffect>> = {
  [`${CUSTOM_NODE_ID}/push`]: async () => (await import('./target/custom-metrics.ts')).pushEffect,
}

/** Called once by each function that moves executions, before it serves requests. */
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
