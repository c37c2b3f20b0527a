import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { PipelineRun } from '../../shared/learn/pipeline/run.ts'

/** One that has ended, without its evidence. */
export const newPipelineRun = (ctx: Context): PipelineRun => ({
  ...ctx.space,
  id: ctx.id('plr'),
  trigger: 'manual',
  status: 'succeeded',
  stages: [],
  dry_run: false,
  requested_by: { type: 'system', id: 'system' },
  may_copy: false,
  created_at: iso(ctx.now()),
  updated_at: iso(ctx.now()),
  request_artifact_id: ctx.id('art'),
  attempt: 1,
})
