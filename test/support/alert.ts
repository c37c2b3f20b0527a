// A firing alert, as a look at its rule would have made it.
import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Alert } from '../../shared/operate/alerts/alert.ts'

export function newAlert(ctx: Context, change: Partial<Alert> = {}): Alert {
  const now = iso(ctx.now())
  return {
    ...ctx.space,
    id: ctx.id('alt'),
    rule_id: 'rul_1',
    fingerprint: ctx.id('fp'),
    status: 'firing',
    severity: 'low',
    title: 'Slow',
    labels: {},
    webhook: true,
    value: null,
    threshold: null,
    starts_at: now,
    last_evaluated_at: now,
    data_at: now,
    occurrences: 1,
    flapping: false,
    history: [],
    fired: [],
    ...change,
  }
}
