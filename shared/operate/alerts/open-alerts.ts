import type { Context } from '../../base/context.ts'
import { lastAlerts, lastAlertsKey } from './alert.ts'

/** The alerts of a space that are firing or acknowledged, by their pointers. */
export async function openAlerts({ table, space }: Pick<Context, 'table' | 'space'>) {
  const last = await table.query(lastAlerts, { pk: lastAlertsKey(space) })
  return last.filter(({ resolved_at }) => resolved_at === undefined)
}
