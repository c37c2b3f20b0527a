import { ExecutionView } from '../../shared/govern/executions/answer.ts'
import { openExecution } from '../../shared/govern/executions/open.ts'
import { evidenceOf } from '../../shared/govern/executions/with-evidence.ts'
import { executionView } from '../../shared/govern/executions/execution-view.ts'
import { shownNow } from '../../shared/govern/executions/shown.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = { response: ExecutionView }

/** The body of the execution’s own answer, in its present state, with all of its evidence, and what that contradicts. */
export const handler = endpoint(protocol.getExecution, shapes, async ({ params, ctx }) => {
  const { execution, opened } = await shownNow(ctx, openExecution(ctx, params.request_id))
  const [evidence] = await evidenceOf(ctx, [execution])
  return {
    ...executionView(execution, opened),
    evidence: execution.artifacts,
    ...(evidence?.evidence_status === 'differs' && evidence),
  }
})
