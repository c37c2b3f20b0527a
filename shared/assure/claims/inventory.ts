// What the service has, counted from the lists that it works with.
import * as z from 'zod'
import { CATALOG, EVENT_TYPES } from '../../base/catalog/event-types.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { aboutFramework, controlsOf, GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

const count = z.int()

export const Inventory = z.object({
  endpoints: count,
  event_types: count,
  event_types_extended: count,
  tiers: z.array(z.enum(TIERS)),
  frameworks: z.array(
    z.object({ id: z.enum(FRAMEWORK_IDS), group: z.enum(GROUPS), controls_total: count, checks_mapped: count }),
  ),
  checks: count,
  connectors: count.nullable(),
  nodes_registered: count.nullable(),
  trainers: count.nullable(),
})

/** What other areas count; null where the deployment has no such area, or where it would tell of single tenants. */
export type Counted = { endpoints: number; nodes_registered: number | null; connectors?: number; trainers?: number }

export function inventory({ endpoints, nodes_registered, connectors, trainers }: Counted): z.output<typeof Inventory> {
  const extended = EVENT_TYPES.filter((type) => CATALOG[type].extension)
  return {
    endpoints,
    event_types: EVENT_TYPES.length - extended.length,
    event_types_extended: extended.length,
    tiers: [...TIERS],
    frameworks: FRAMEWORK_IDS.map((id) => ({
      id,
      group: aboutFramework(id).group,
      controls_total: controlsOf(id).length,
      checks_mapped: CHECKS.filter(({ controls }) => (controls[id]?.length ?? 0) > 0).length,
    })),
    checks: CHECKS.length,
    connectors: connectors ?? null,
    nodes_registered,
    trainers: trainers ?? null,
  }
}
