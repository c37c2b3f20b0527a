import { endpoint } from '../../shared/edge/endpoint.ts'
import { AbTestView, readTest } from '../../shared/learn/experiments/test-view.ts'
import { training } from './routes.ts'

export const shapes = { response: AbTestView }

export const handler = endpoint(training.getAbTest, shapes, ({ params, ctx }) => readTest(ctx, params.id))
