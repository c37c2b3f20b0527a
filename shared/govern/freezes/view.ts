// A freeze as the API shows it: what it has stopped, what waits for its end, and which callers it stops besides.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { alsoStopped, type Caller, readCallers } from './also-stops.ts'
import { Freeze } from './freeze.ts'
import { stoppedBy } from './stopped.ts'
import { isWaitingFor, readUnstarted, type Unstarted } from './waiting.ts'

export const FreezeView = Freeze.omit({ tenant_id: true, mode: true }).extend({
  stopped: z
    .object({
      executions: z.int().describe('Requests that it refused.'),
      undos: z.int().describe('Requests to undo something that it refused.'),
      complete_until: z.string().describe('Everything before this time is counted.'),
    })
    .describe('What it has refused, as counted by `complete_until`.'),
  waiting: z.int().describe('Approved actions that begin only when it is lifted.'),
  waiting_is_lower_bound: z.literal(true).optional().describe('There are more than were counted.'),
  also_stops: z
    .array(
      z.object({
        type: z.enum(['api_key', 'client']).describe('Whether it is an API key or an OAuth client.'),
        id: z.string().describe('The id, which never changes.'),
        name: z.string().describe('A name for people.'),
      }),
    )
    .describe(
      'Keys and clients that it stops without naming them: they are bound to no agent and may say any name, or somebody stands behind them who is frozen.',
    ),
})

type View = z.input<typeof FreezeView>

export async function freezeViews(ctx: Context, freezes: readonly Freeze[]): Promise<View[]> {
  const active = freezes.filter(({ status }) => status === 'active')
  const byCaller = active.some(({ scope }) => scope.agents ?? scope.principals)
  const [unstarted, callers] = await Promise.all([
    active.length > 0 ? readUnstarted(ctx) : NOTHING,
    byCaller ? readCallers(ctx) : [],
  ])
  return Promise.all(freezes.map((freeze) => view(ctx, freeze, unstarted, callers)))
}

export async function freezeView(ctx: Context, freeze: Freeze): Promise<View> {
  const [one] = await freezeViews(ctx, [freeze])
  if (!one) throw new Error('a view was asked for and none was made')
  return one
}

const NOTHING: Unstarted = { approvals: [], complete: true }

async function view(ctx: Context, freeze: Freeze, { approvals, complete }: Unstarted, callers: readonly Caller[]) {
  const isActive = freeze.status === 'active'
  return {
    ...freeze,
    stopped: await stoppedBy(ctx, freeze),
    waiting: isActive ? approvals.filter((approval) => isWaitingFor(freeze, approval)).length : 0,
    ...(isActive && !complete && { waiting_is_lower_bound: true as const }),
    also_stops: isActive ? alsoStopped(freeze, callers) : [],
  }
}
