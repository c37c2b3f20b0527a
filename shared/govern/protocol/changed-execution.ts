// The answer to a change of an execution: its state afterwards.
import type { Context, Principal } from '../../base/context.ts'
import { httpResponse, type HttpResponse, unchanged } from '../../base/wire/call.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Execution } from '../executions/execution.ts'
import { executionView } from '../executions/execution-view.ts'
import { openExecution, openSealed } from '../executions/sealed/open-execution.ts'
import { visibleNow } from '../executions/sealed/visible.ts'

/** `repeated`: the execution had changed already. */
type Changed = { execution: Stored<Execution>; repeated: boolean }

export async function afterChange(ctx: Context, { execution, repeated }: Changed): Promise<HttpResponse> {
  const { opened } = await visibleNow(ctx, openSealed(ctx, execution))
  const body = executionView(execution, opened)
  return repeated ? unchanged(body) : httpResponse(200, body)
}

/** The present state, for a repeat with the same Idempotency-Key. */
export async function replayChange(ctx: Context, requestId: string): Promise<HttpResponse> {
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, requestId))
  return unchanged(executionView(execution, opened))
}

/** Whether it is the credential of the request, or a person who is accountable for it. */
export const isRequester = (
  { id, persons }: Pick<Principal, 'id' | 'persons'>,
  { requested_by, persons: requesters }: Pick<Execution, 'requested_by' | 'persons'>,
): boolean => id === requested_by.id || persons.some((person) => requesters.includes(person))
