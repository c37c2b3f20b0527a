import { Duration } from 'aws-cdk-lib'
import { Dashboard, GraphWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import {
  DIMENSION,
  NAMESPACE,
  PLATFORM_METRICS,
  type PlatformMetric,
  platformMetrics,
} from '../../shared/base/catalog/platform-metrics.ts'

const PER_ROW = 3
const ROW_WIDTH = 24

const panelOf = (name: PlatformMetric) => name.replace(/\.failed$/, '')

/** Shows every metric that `measure` prints, minute by minute. */
export class MetricsDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { prefix }: { prefix: string }) {
    const panels = [...Map.groupBy(platformMetrics, panelOf)].map(
      ([title, shown]) =>
        new GraphWidget({ title, width: ROW_WIDTH / PER_ROW, left: shown.map((name) => graphed(name, prefix)) }),
    )
    super(scope, id, { dashboardName: prefix, widgets: rowsOf(panels) })
  }
}

const rowsOf = (panels: GraphWidget[]) =>
  Array.from({ length: Math.ceil(panels.length / PER_ROW) }, (_, row) =>
    panels.slice(row * PER_ROW, (row + 1) * PER_ROW),
  )

const graphed = (name: PlatformMetric, prefix: string) =>
  new Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { [DIMENSION]: prefix },
    statistic: PLATFORM_METRICS[name].statistic,
    period: Duration.minutes(1),
  })
