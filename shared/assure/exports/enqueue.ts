// The queue of the worker that makes exports and completes erasures.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { queue, send } from '../../base/kernel/queue.ts'
import { resourceMembers } from '../../base/table/members.ts'

/** `asked`: the checkpointer has just run for this export, so that it is not requested again. */
export const exportQueue = queue('exports', z.object({ ...resourceMembers, asked: z.boolean().optional() }))

/** Enqueues an export to be made or an erasure to be completed. The sweeper sends a lost message again. */
export const enqueueExport = ({ tenant_id, mode }: Space, id: string, { asked = false } = {}): Promise<void> =>
  send(exportQueue, { tenant_id, mode, id, ...(asked && { asked }) })
