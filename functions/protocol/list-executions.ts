import * as z from 'zod'
import { listExecutions } from '../../shared/executions/list.ts'
import { EXECUTION_STATUSES } from '../../shared/executions/states.ts'
import { ExecutionSummary } from '../../shared/executions/summary.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ListQuery, listReply } from '../../shared/http/pagination.ts'
import { protocol } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(EXECUTION_STATUSES).optional(),
    node_id: z.string().optional(),
    action_id: z.string().optional(),
    agent_id: z.string().optional(),
  }),
  reply: listReply(ExecutionSummary),
}

export const handler = endpoint(protocol.listExecutions, shapes, ({ query, ctx }) => listExecutions(ctx, query))
