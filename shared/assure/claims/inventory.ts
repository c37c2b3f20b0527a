// The inventory of the service, counted from the lists that it works with.
import * as z from 'zod'
import { CATALOG, EVENT_TYPES } from '../../base/catalog/event-types.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { aboutFramework, controlsOf, GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

const count = z.int()

export const Inventory = z.object({
  endpoints: count.describe('How many operations the API has.'),
  event_types: count.describe('How many types of events the API specification lists.'),
  event_types_extended: count.describe('How many more types the service sends.'),
  tiers: z.array(z.enum(TIERS)).describe('The tiers of actions, from loose to strict.'),
  frameworks: z
    .array(
      z.object({
        id: z.enum(FRAMEWORK_IDS).describe('The id of the framework.'),
        group: z
          .enum(GROUPS)
          .describe('`core`: one of the frameworks of security and privacy; `ai`: one about artificial intelligence.'),
        controls_total: count.describe('How many controls the list of the framework has.'),
        checks_mapped: count.describe('How many checks speak for controls of the framework.'),
      }),
    )
    .describe('The compliance frameworks.'),
  checks: count.describe('How many compliance checks there are.'),
  connectors: count.nullable().describe('How many connectors the catalogue has; null where the deployment has none.'),
  nodes_registered: count
    .nullable()
    .describe('How many nodes all tenants have registered; null while fewer than five have any.'),
  trainers: count.nullable().describe('How many trainers of models there are; null where the deployment has none.'),
})

/** What other areas count; null where the deployment has no such area, or where it would reveal single tenants. */
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
