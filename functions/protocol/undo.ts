import * as z from 'zod'
import { ExecutionReply } from '../../shared/executions/answer.ts'
import { replayUndo, undoExecution } from '../../shared/executions/undo.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { optional } from '../../shared/http/fields.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: z.strictObject({ reason: optional(z.string().max(2_000)) }),
  reply: ExecutionReply,
}

/** Undoes a SOFT action within its 30 seconds. */
export const handler = endpoint(
  protocol.undo,
  shapes,
  ({ params, body, ctx }) => undoExecution(ctx, params.request_id, body.reason),
  { replay: replayUndo },
)
