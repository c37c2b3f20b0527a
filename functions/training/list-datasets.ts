import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { DatasetQuery, DatasetView, listDatasets } from '../../shared/learn/datasets/dataset-view.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery.extend(DatasetQuery.shape), response: listView(DatasetView) }

export const handler = endpoint(training.listDatasets, shapes, ({ query, ctx }) => listDatasets(ctx, query))
