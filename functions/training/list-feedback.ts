import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { FeedbackQuery, FeedbackView, listFeedback } from '../../shared/learn/feedback/feedback.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery.extend(FeedbackQuery.shape), response: listView(FeedbackView) }

export const handler = endpoint(training.listFeedback, shapes, ({ query, ctx }) => listFeedback(ctx, query))
