import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { listModels, ModelQuery, ModelView } from '../../shared/learn/models/model-view.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery.extend(ModelQuery.shape), response: listView(ModelView) }

export const handler = endpoint(training.listModels, shapes, ({ query, ctx }) => listModels(ctx, query))
