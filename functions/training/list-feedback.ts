import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { FeedbackView } from '../../shared/learn/feedback/feedback-view.ts'
import { FeedbackQuery, listFeedback } from '../../shared/learn/feedback/list-feedback.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery.extend(FeedbackQuery.shape), response: listView(FeedbackView) }

export const handler = endpoint(training.listFeedback, shapes, ({ query, ctx }) => listFeedback(ctx, query))
