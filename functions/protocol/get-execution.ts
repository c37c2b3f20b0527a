import { openExecution } from '../../shared/govern/executions/sealed/open-execution.ts'
import { executionEvidence } from '../../shared/govern/executions/evidence.ts'
import { ExecutionView, executionView } from '../../shared/govern/executions/execution-view.ts'
import { visibleNow } from '../../shared/govern/executions/sealed/visible.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = { response: ExecutionView }

/** The body of the execution’s own answer, in its present state, with all of its evidence, and what that contradicts. */
export const handler = endpoint(protocol.getExecution, shapes, async ({ params, ctx }) => {
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, params.request_id))
  const [evidence] = await executionEvidence(ctx, [execution])
  return {
    ...executionView(execution, opened),
    evidence: execution.artifacts,
    ...(evidence?.evidence_status === 'differs' && evidence),
  }
})
