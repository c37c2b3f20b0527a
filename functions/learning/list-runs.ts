import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { listRuns, RunView } from '../../shared/learn/pipeline/run.ts'
import { learning } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(RunView) }

export const handler = endpoint(learning.listRuns, shapes, ({ query, ctx }) => listRuns(ctx, query))
