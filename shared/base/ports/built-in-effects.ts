// What an action of a node of the service itself changes. The layers that own the change fill this where functions are made,
// so that executions know none of them.
import type { Execution } from '../../govern/executions/execution.ts'
import type { Measure } from '../catalog/measures.ts'
import type { Context } from '../context.ts'
import type { Following, Write } from '../table/entity.ts'
import type { JsonObject } from '../wire/parse-body.ts'

export type Effect = {
  writes: (Write | Following)[]
  measures: Measure[]
  /** Where the writes put other policies or settings into force: the revision of the pointer that they replace. */
  replaces?: number
}

export type BuiltInEffect = {
  /**
   * Part of the transaction in which the action runs; asked for again when that is overtaken. `execution` is the one before
   * that transaction. Throws what the caller caused: then nothing has happened.
   */
  run: (ctx: Context, run: { execution: Execution; payload: JsonObject }) => Promise<Effect>
  /** Part of the transaction that ends a held action without running it; `execution` as it leaves it. It must not stand in its way. */
  ended?: (ctx: Context, execution: Execution) => Promise<Write[]>
}

/** By `<node_id>/<action_id>`. Each is loaded with its first action. */
export type BuiltInEffects = Readonly<Record<string, () => Promise<BuiltInEffect>>>
