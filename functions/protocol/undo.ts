import '../effects.ts'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { replayUndo, UndoBody, undoExecution } from '../../shared/govern/protocol/undo.ts'
import { activeGovernance } from '../../shared/govern/governance/governance.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = {
  body: UndoBody,
  response: ExecutionView,
}

/** Undoes a SOFT action within its 30 seconds; the undo action is judged like any other. */
export const handler = endpoint(
  protocol.undo,
  shapes,
  ({ params, body, ctx, governance }) => undoExecution(ctx, governance, params.request_id, body),
  { govern: activeGovernance, replay: replayUndo },
)
