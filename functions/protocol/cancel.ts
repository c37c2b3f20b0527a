import '../effects.ts'
import * as z from 'zod'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { replayChange } from '../../shared/govern/protocol/changed-execution.ts'
import { cancelExecution } from '../../shared/govern/protocol/cancel.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: z.strictObject({ reason: optional(z.string().min(1).max(500)).describe('The reason, for people.') }),
  response: ExecutionView,
}

/** Withdraws a request that has not run yet. */
export const handler = endpoint(
  protocol.cancel,
  shapes,
  ({ params, body, ctx }) => cancelExecution(ctx, params.request_id, body.reason),
  { replay: replayChange },
)
