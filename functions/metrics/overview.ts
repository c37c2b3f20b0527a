import { postureScore } from '../../shared/assure/frameworks/framework-view.ts'
import type { OverviewSources } from '../../shared/base/ports/rows.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { trainingFigures } from '../../shared/learn/figures/training-figures.ts'
import { openIncidents } from '../../shared/operate/incidents/incident.ts'
import { MetricsOverview, metricsOverview } from '../../shared/operate/metrics/overview.ts'
import { metricsWindow, WindowQuery } from '../../shared/operate/metrics/indicators.ts'
import { sloSummary } from '../../shared/operate/watch/error-budget.ts'
import { metrics } from './routes.ts'

const SOURCES: OverviewSources = { posture: postureScore, slos: sloSummary, openIncidents, training: trainingFigures }

export const shapes = { query: WindowQuery, response: MetricsOverview }

export const handler = endpoint(metrics.overview, shapes, async ({ query, ctx }) =>
  metricsOverview(ctx, await metricsWindow(ctx, query), SOURCES),
)
