import type { Context } from '../../base/context.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { CUSTOM_NODE_ID } from '../manifests/built-in.ts'
import type { Pushed } from './custom-metrics.ts'

/** What a run counts for the tenant itself: nothing, unless it is a push of custom metrics, for which more is loaded. */
export async function customCounts(ctx: Context, nodeId: string, payload: JsonObject): Promise<Pushed> {
  if (nodeId !== CUSTOM_NODE_ID) return { measures: [], writes: [] }
  const { pushed } = await import('./custom-metrics.ts')
  return pushed(ctx, payload)
}
