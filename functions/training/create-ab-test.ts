import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { AbTestInput, createTest } from '../../shared/learn/experiments/create-test.ts'
import { AbTestView, testView } from '../../shared/learn/experiments/test-view.ts'
import { training } from './routes.ts'

export const shapes = { body: AbTestInput, response: AbTestView }

export const handler = endpoint(training.createAbTest, shapes, async ({ body, ctx }) => {
  const test = await createTest(ctx, body)
  return httpResponse(201, testView(test, undefined), { Location: `/api/v1/ai-training/ab-tests/${test.id}` })
})
