import { listEvidence, SubmissionFilters, SubmissionView } from '../../shared/assure/submissions/view.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { query: ListQuery.extend(SubmissionFilters.shape), response: listView(SubmissionView) }

export const handler = endpoint(compliance.listEvidence, shapes, ({ query, ctx }) => listEvidence(ctx, query))
