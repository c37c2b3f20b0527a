import type { Context } from '../../base/context.ts'
import { decisionsIn } from './protocol.ts'
import { readWindow, type Span } from './read-window.ts'

/** How many executions were decided on in a time of whole minutes. */
export const countExecutions = async (ctx: Context, span: Span): Promise<number> =>
  decisionsIn(await readWindow(ctx, span))
