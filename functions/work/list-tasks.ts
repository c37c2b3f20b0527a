import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { listTasks, TaskFilters, TaskView } from '../../shared/operate/work/task-view.ts'
import { work } from './routes.ts'

export const shapes = { query: ListQuery.extend(TaskFilters.shape), response: listView(TaskView) }

export const handler = endpoint(work.listTasks, shapes, ({ query, ctx }) => listTasks(ctx, query))
