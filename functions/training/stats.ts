import { endpoint } from '../../shared/edge/endpoint.ts'
import { StatsQuery, TrainingStats, trainingStats } from '../../shared/learn/figures/stats.ts'
import { training } from './routes.ts'

export const shapes = { query: StatsQuery, response: TrainingStats }

export const handler = endpoint(training.stats, shapes, ({ query, ctx }) => trainingStats(ctx, query))
