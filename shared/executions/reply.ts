import type { Context } from '../context.ts'
import { type Answer, answer } from '../http/call.ts'
import { httpStatusOf, renderExecution } from './answer.ts'
import { openExecution } from './open.ts'
import type { Submitted } from './submit.ts'

/** The answer to whoever asked for the execution. */
export function answerTo({ execution, opened }: Submitted): Answer {
  const status = execution.answered ?? execution.status
  const headers = execution.held && { Location: `/api/v1/work/approvals/${execution.held.id}` }
  return answer(httpStatusOf(status), renderExecution(execution, opened, status), headers)
}

/** The first answer again, for a repeat with the same Idempotency-Key; undefined while the target has not answered. */
export async function replayExecution(ctx: Context, requestId: string): Promise<Answer | undefined> {
  const { execution, opened } = await openExecution(ctx, requestId)
  return execution.answered && answerTo({ execution, opened })
}
