import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { lookAt } from '../../shared/learn/experiments/verdict.ts'
import { startTest } from '../../shared/learn/experiments/start-test.ts'
import { AbTestView, testView } from '../../shared/learn/experiments/test-view.ts'
import { training } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: AbTestView }

export const handler = endpoint(training.startAbTest, shapes, async ({ params, ctx }) => {
  const test = await startTest(ctx, params.id)
  return testView(test, await lookAt(ctx, test))
})
