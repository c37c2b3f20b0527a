// The answer to a request that changes which model is in a slot.
import * as z from 'zod'
import { type HttpResponse, httpResponse } from '../../base/wire/call.ts'
import type { Submitted } from '../../govern/executions/submission.ts'
import { MODEL_STATUSES } from './model.ts'

export const DeploymentView = z.object({
  model_id: z.string().describe('Id of the model.'),
  status: z.enum([...MODEL_STATUSES, 'rejected']).describe('The current state.'),
  execution_id: z.string().describe('Id of the execution.'),
  approval_id: z.string().optional().describe('Id of the approval.'),
  undo_until: z.string().optional().describe('When the action can no longer be undone.'),
  detail: z.string().optional().describe('More details.'),
  code: z.string().optional().describe('The cause of the error, for programs.'),
})

/** `done`: what the model is once the action has run. */
export function deploymentResponse(
  model_id: string,
  { execution }: Submitted,
  done: 'rolled_back' | 'deploying',
): HttpResponse {
  const { id: execution_id, status, held, rejection, undo_until } = execution
  const of = { model_id, execution_id }
  if (rejection)
    return httpResponse(403, { ...of, status: 'rejected', detail: rejection.detail, code: 'policy_rejected' })
  if (status !== 'pending_approval') return httpResponse(200, { ...of, status: done, undo_until })
  const headers = { Location: `/api/v1/work/approvals/${held?.id}` }
  return httpResponse(202, { ...of, status: 'pending_approval', approval_id: held?.id }, headers)
}
