// An action that waits for people as a task of the protocol's extension, for clients that know it.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { approvalLink } from '../approvals/votes/rules.ts'
import type { Execution } from '../executions/execution.ts'
import { objectAt } from '../../base/wire/parse-body.ts'
import { type Message, META, metaOf, TASKS_EXTENSION } from './message.ts'
import { ownExecution, present } from './tool-result.ts'
import { cancelOwn } from './built-in-tools.ts'

const KEPT_MS = 7 * 86_400_000
const POLL_MS = 3_000

export function knowsTasks(message: Message): boolean {
  const capabilities = objectAt(metaOf(message), META.clientCapabilities)
  return objectAt(objectAt(capabilities, 'extensions'), TASKS_EXTENSION) !== undefined
}

export function taskOf(execution: Execution) {
  const { id, status, held, artifacts } = execution
  const createdAt = timeOfId(id)
  const ends = held ? Date.parse(held.expires_at) : createdAt
  return {
    taskId: id,
    status: statusOf(status),
    ...(status === 'pending_approval' &&
      held && { statusMessage: `Waiting for approval: ${approvalLink(execution.tenant_id, held.id)}` }),
    createdAt: iso(createdAt),
    lastUpdatedAt: artifacts.at(-1)?.at ?? iso(createdAt),
    ttlMs: ends - createdAt + KEPT_MS,
    pollIntervalMs: POLL_MS,
  }
}

/** The extension keeps `failed` for errors of the protocol; the result says what became of the action. */
function statusOf(status: Execution['status']): 'working' | 'completed' | 'cancelled' {
  if (status === 'cancelled') return 'cancelled'
  return status === 'pending_approval' || status === 'approved' || status === 'executing' ? 'working' : 'completed'
}

/** The present state of the task, with its result as soon as there is one. */
export async function readTask(ctx: Context, id: string) {
  const { execution, result } = await present(ctx, ownExecution(ctx, id))
  const task = taskOf(execution)
  return task.status === 'completed' ? { ...task, result: { resultType: 'complete', ...result } } : task
}

/** Acknowledged in every case: an action that has begun or has ended is not stopped. */
export async function cancelTask(ctx: Context, id: string): Promise<void> {
  try {
    await cancelOwn(ctx, id)
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'conflict')) throw error
  }
}
