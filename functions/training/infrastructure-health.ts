import { endpoint } from '../../shared/edge/endpoint.ts'
import { InfrastructureHealth, infrastructureHealth } from '../../shared/learn/figures/infrastructure.ts'
import { training } from './routes.ts'

export const shapes = { response: InfrastructureHealth }

export const handler = endpoint(training.infrastructureHealth, shapes, ({ ctx }) => infrastructureHealth(ctx))
