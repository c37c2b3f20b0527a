// The queue of the worker that performs runs of checks.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { queue, send } from '../../base/kernel/queue.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const checks = queue('checks', z.strictObject({ ...spaceMembers, run_id: z.string() }))

/** Hands a run to the worker `runChecks`. The sweeper sends a lost message again. */
export const enqueueRun = ({ tenant_id, mode }: Space, run_id: string): Promise<void> =>
  send(checks, { tenant_id, mode, run_id })
