import * as z from 'zod'
import type { Space } from '../base/context.ts'
import { queue, send } from '../base/kernel/queue.ts'
import { resourceMembers } from '../base/table/members.ts'

/** What the worker `train` works on: a dataset, a job, a snapshot or a run of the pipeline. The prefix of the id says which. */
export const training = queue('training', z.object(resourceMembers))

/** The sweeper sends a lost message again. */
export const enqueueLearning = ({ tenant_id, mode }: Space, id: string): Promise<void> =>
  send(training, { tenant_id, mode, id })
