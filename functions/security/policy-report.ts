import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { PolicyReport, policyReport } from '../../shared/govern/policies/report.ts'
import { countExecutions } from '../../shared/operate/metrics/count-executions.ts'
import { security } from './routes.ts'

export const shapes = { query: z.object({ window: z.string().optional() }), response: PolicyReport }

export const handler = endpoint(security.policyReport, shapes, ({ params, query, ctx }) =>
  policyReport(ctx, { policy_id: params.policy_id, window: query.window }, (span) => countExecutions(ctx, span)),
)
