import { endpoint } from '../../shared/edge/endpoint.ts'
import { Infrastructure, infrastructure } from '../../shared/learn/figures/infrastructure.ts'
import { training } from './routes.ts'

export const shapes = { response: Infrastructure }

export const handler = endpoint(training.infrastructure, shapes, ({ ctx }) => infrastructure(ctx))
