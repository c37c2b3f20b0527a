import * as z from 'zod'
import { listExecutions } from '../../shared/govern/executions/list.ts'
import { EXECUTION_STATUSES } from '../../shared/govern/executions/states.ts'
import { ExecutionRowView } from '../../shared/govern/executions/execution-row-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { protocol } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(EXECUTION_STATUSES).optional(),
    node_id: z.string().optional(),
    action_id: z.string().optional(),
    agent_id: z.string().optional(),
    policy_id: z.string().min(1).max(160).optional(),
  }),
  response: listView(ExecutionRowView),
}

export const handler = endpoint(protocol.listExecutions, shapes, ({ query, ctx }) => listExecutions(ctx, query))
