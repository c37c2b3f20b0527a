import { endpoint } from '../../shared/edge/endpoint.ts'
import { MetricsOverview, metricsOverview } from '../../shared/operate/metrics/overview.ts'
import { metricsWindow, WindowQuery } from '../../shared/operate/metrics/window.ts'
import { metrics } from './routes.ts'

export const shapes = { query: WindowQuery, response: MetricsOverview }

export const handler = endpoint(metrics.overview, shapes, async ({ query, ctx }) =>
  metricsOverview(ctx, await metricsWindow(ctx, query)),
)
