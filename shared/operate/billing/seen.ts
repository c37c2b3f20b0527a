import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { seenEvents } from './subscription.ts'

const KEPT_MS = 30 * 86_400_000

/** Goes into the commit of what an event brought. Without an event: nothing. */
export const noted = (ctx: Context, id: string | undefined): Write[] =>
  id === undefined ? [] : [seenEvents.insert({ id, expires_at: ctx.now() + KEPT_MS })]
