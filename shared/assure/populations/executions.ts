import type * as z from 'zod'
import type { Execution, RoutingDecision } from '../../govern/executions/execution.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { receiptList } from '../exports/rows/actions.ts'
import type { Window } from '../exports/window.ts'
import { WAITS_MS } from './approvals.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import { isWithin, type Population, type Row } from './population.ts'

export const hardExecutions: Population = {
  name: 'executions_hard',
  columns: [
    'id',
    'requested_at',
    'executed_at',
    'status',
    'node_id',
    'action_id',
    'version',
    'kind',
    'risk',
    'requested_by_type',
    'requested_by',
    'agent_id',
    'approval_id',
    'undo_of',
    'policy_set_version',
    'artifact_ids',
  ],
  source: 'executions of tier HARD',
  filter: 'ran in the window, in the order of their requests',
  rows: hardRows,
}

async function* hardRows(ctx: Context, window: Window): AsyncGenerator<Row[]> {
  const start_at = iso(Date.parse(window.start_at) - WAITS_MS)
  for await (const page of pagesOf(ctx, receiptList(ctx, { start_at, end_at: window.end_at }))) {
    const ran = page.filter(({ executed_at }) => isWithin(executed_at, window))
    yield ran.flatMap((execution) => {
      const routing: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
      return routing.tier === 'HARD' ? [rowOf(execution, routing)] : []
    })
  }
}

const rowOf = (execution: Execution, { kind, risk }: z.output<typeof RoutingDecision>): Row => ({
  id: execution.id,
  requested_at: iso(timeOfId(execution.id)),
  executed_at: execution.executed_at,
  status: execution.status,
  node_id: execution.node_id,
  action_id: execution.action_id,
  version: execution.version,
  kind,
  risk,
  requested_by_type: execution.requested_by.type,
  requested_by: execution.requested_by.id,
  agent_id: execution.agent_id,
  approval_id: execution.held?.id,
  undo_of: execution.undo_of,
  policy_set_version: execution.policy_set_version,
  artifact_ids: execution.artifacts.map(({ artifact_id }) => artifact_id).join(' '),
})
