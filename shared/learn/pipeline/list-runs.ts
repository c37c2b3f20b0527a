import type { Context, Space } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { learningPartition } from '../routing/update.ts'
import { type PipelineRun, pipelineRuns } from './run.ts'

/** Newest first. */
export function listRuns(ctx: Context, query: ListQuery) {
  const list: ListSource<Stored<PipelineRun>, Space & { id: string }> = {
    of: pipelineRuns,
    groups: [{ name: 'all', partitions: [learningPartition(ctx.space)] }],
    from: 'RUN#',
    to: 'RUN#~',
  }
  return paginate(ctx, 'learning-list-runs', query, list)
}
