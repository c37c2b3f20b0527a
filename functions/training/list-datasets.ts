import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { DatasetView } from '../../shared/learn/datasets/dataset-view.ts'
import { DatasetQuery, listDatasets } from '../../shared/learn/datasets/list-datasets.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery.extend(DatasetQuery.shape), response: listView(DatasetView) }

export const handler = endpoint(training.listDatasets, shapes, ({ query, ctx }) => listDatasets(ctx, query))
