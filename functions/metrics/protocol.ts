import { endpoint } from '../../shared/edge/endpoint.ts'
import { ProtocolMetrics, protocolMetrics } from '../../shared/operate/metrics/protocol.ts'
import { metricsWindow, WindowQuery } from '../../shared/operate/metrics/indicators.ts'
import { metrics } from './routes.ts'

export const shapes = { query: WindowQuery, response: ProtocolMetrics }

export const handler = endpoint(metrics.protocol, shapes, async ({ query, ctx }) =>
  protocolMetrics(ctx, await metricsWindow(ctx, query)),
)
