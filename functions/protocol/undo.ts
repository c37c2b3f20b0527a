import '../effects.ts'
import * as z from 'zod'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { replayUndo, undoExecution } from '../../shared/govern/protocol/undo.ts'
import { activeGovernance } from '../../shared/govern/governance/active.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: z.strictObject({ reason: optional(z.string().max(2_000)) }),
  response: ExecutionView,
}

/** Undoes a SOFT action within its 30 seconds; the undo action is judged like any other. */
export const handler = endpoint(
  protocol.undo,
  shapes,
  ({ params, body, ctx, governance }) => undoExecution(ctx, governance, params.request_id, body.reason),
  { govern: activeGovernance, replay: replayUndo },
)
