import { endpoint } from '../../shared/edge/endpoint.ts'
import { trainingFigures } from '../../shared/learn/figures/training-figures.ts'
import { TrainingMetrics, trainingMetrics } from '../../shared/operate/metrics/training.ts'
import { metricsWindow, WindowQuery } from '../../shared/operate/metrics/indicators.ts'
import { metrics } from './routes.ts'

export const shapes = { query: WindowQuery, response: TrainingMetrics }

export const handler = endpoint(metrics.training, shapes, async ({ query, ctx }) =>
  trainingMetrics(ctx, await metricsWindow(ctx, query), trainingFigures),
)
