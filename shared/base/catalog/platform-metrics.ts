// The metrics of a whole deployment in CloudWatch: the one list of them. `measure` prints them and the dashboard shows them. Each
// costs 0.30 USD a month, so a new one needs a reason.

export const NAMESPACE = 'Countersign'
export const DIMENSION = 'deployment'

/** How the values of several passes are shown together. */
type Shown = { unit: 'Count'; statistic: 'Sum' } | { unit: 'Milliseconds'; statistic: 'Maximum' }

const COUNT = { unit: 'Count', statistic: 'Sum' } as const
const LONGEST = { unit: 'Milliseconds', statistic: 'Maximum' } as const

export const PLATFORM_METRICS = {
  'countersign.requests': COUNT,
  'countersign.requests.failed': COUNT,
  'countersign.executions': COUNT,
  'countersign.executions.failed': COUNT,
  'countersign.deliveries': COUNT,
  'countersign.deliveries.failed': COUNT,
  'countersign.approvals.asked': COUNT,
  'countersign.approvals.ended': COUNT,
  /** Shares of limits that remain counted until their window has passed, although their actions did not run. */
  'countersign.limits.lost': COUNT,
  /** The 95th percentile of the decisions of a pass. */
  'countersign.governance.duration': LONGEST,
  'countersign.alerts.firing': COUNT,
  /** The age of the oldest minute that a pass has counted. */
  'countersign.log.lag': LONGEST,
  'countersign.pass.duration': LONGEST,
} as const satisfies Record<string, Shown>

export type PlatformMetric = keyof typeof PLATFORM_METRICS
export const platformMetrics = Object.keys(PLATFORM_METRICS) as PlatformMetric[] // keys of the constant itself
