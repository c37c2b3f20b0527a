// What else an erasure has to reach. Layers that copy payloads fill this where functions are made, so that erasing knows none of them.
import type { Context } from '../context.ts'

/** Called with the ids of executions whose payloads are erased, before the erasure is completed. Safe to repeat. */
export type OnErased = (ctx: Context, executionIds: readonly string[]) => Promise<void>
