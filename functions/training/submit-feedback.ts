import { endpoint } from '../../shared/edge/endpoint.ts'
import { FeedbackView, feedbackView } from '../../shared/learn/feedback/feedback.ts'
import { FeedbackBody, submitFeedback } from '../../shared/learn/feedback/submit-feedback.ts'
import { training } from './routes.ts'

export const shapes = { body: FeedbackBody, response: FeedbackView }

export const handler = endpoint(training.submitFeedback, shapes, async ({ body, ctx }) =>
  feedbackView(await submitFeedback(ctx, body)),
)
