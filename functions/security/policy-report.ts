import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { PolicyReport, policyReport } from '../../shared/govern/policies/report.ts'
import { countExecutions } from '../../shared/operate/metrics/protocol.ts'
import { security } from './routes.ts'

export const shapes = {
  query: z.object({
    window: z.string().optional().describe('The length of the time up to now: `1h`, `24h`, `7d` or `30d`.'),
  }),
  response: PolicyReport,
}

export const handler = endpoint(security.policyReport, shapes, ({ params, query, ctx }) =>
  policyReport(ctx, { policy_id: params.policy_id, window: query.window }, (span) => countExecutions(ctx, span)),
)
