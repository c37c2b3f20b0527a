import { endpoint } from '../../shared/edge/endpoint.ts'
import { inParallel } from '../../shared/base/lib/in-parallel.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { allWorkers } from '../../shared/govern/tasks/worker.ts'
import { WorkerView, workerView } from '../../shared/operate/work/worker-view.ts'
import { work } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(WorkerView) }

const AT_ONCE = 20

/** Newest first. */
export const handler = endpoint(work.listWorkers, shapes, async ({ query, ctx }) => {
  const all = (await allWorkers(ctx.table, ctx.space)).toReversed()
  const page = await pageOf(ctx, work.listWorkers.id, query, all, ({ id }) => id)
  return { ...page, items: await inParallel(AT_ONCE, page.items, (worker) => workerView(ctx, worker)) }
})
