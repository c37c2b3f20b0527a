import '../effects.ts'
import * as z from 'zod'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { replayChange } from '../../shared/govern/protocol/changed-execution.ts'
import { reportOutcome } from '../../shared/govern/protocol/report-outcome.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    outcome: z.enum(['succeeded', 'failed']).describe('How it ended.'),
    note: optional(z.string().min(1).max(1_000)).describe('What was found. It is sealed as the payload is.'),
  }),
  response: ExecutionView,
}

/** Says how an action ended. */
export const handler = endpoint(
  protocol.outcome,
  shapes,
  ({ params, body, ctx }) => reportOutcome(ctx, params.request_id, body),
  { replay: replayChange },
)
