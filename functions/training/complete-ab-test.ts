import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { completeTest } from '../../shared/learn/experiments/complete-test.ts'
import { AbTestView, testView } from '../../shared/learn/experiments/test-view.ts'
import { training } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    force: z.boolean().default(false).describe('Ends it with fewer decisions than were planned.'),
  }),
  response: AbTestView,
}

export const handler = endpoint(training.completeAbTest, shapes, async ({ params, body, ctx }) => {
  const { test, verdict } = await completeTest(ctx, params.id, body.force)
  return testView(test, verdict)
})
