import * as z from 'zod'
import { ExecutionRowView, listExecutions } from '../../shared/govern/executions/list.ts'
import { EXECUTION_STATUSES } from '../../shared/govern/executions/states.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { protocol } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(EXECUTION_STATUSES).optional().describe('Only those in this state.'),
    node_id: z.string().optional().describe('Only of this node.'),
    action_id: z.string().optional().describe('Only of this action.'),
    agent_id: z.string().optional().describe('Only requests of this agent.'),
    policy_id: z
      .string()
      .min(1)
      .max(160)
      .optional()
      .describe(
        'Only those that this policy, enforced or as a shadow, or this built-in rule did not let pass; up to 35 days back.',
      ),
  }),
  response: listView(ExecutionRowView),
}

export const handler = endpoint(protocol.listExecutions, shapes, ({ query, ctx }) => listExecutions(ctx, query))
