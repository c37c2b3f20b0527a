// What a request may say of an objective.
import * as z from 'zod'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { MS_EDGES } from '../../base/lib/histogram.ts'
import { sliOf } from './indicator.ts'
import { WINDOWS } from './slo.ts'

const Percent = z.number().gt(0).lt(100)
const Alerting = z.strictObject({ page: z.boolean().default(true), ticket: z.boolean().default(true) })

const extras = { description: optional(plainText(1_050)) }

export const SloInput = z.strictObject({
  name: displayName(100),
  ...extras,
  sli: sliOf(MS_EDGES),
  target_percent: Percent,
  measurement_window: z.enum(WINDOWS).default('rolling-28d'),
  min_events: z.int().min(1).max(1_000_000).default(100),
  alerting: Alerting.default({ page: true, ticket: true }),
})
export type SloInput = z.output<typeof SloInput>

export const SloChange = z.strictObject({
  name: optional(displayName(100)),
  ...extras,
  sli: optional(sliOf(MS_EDGES)),
  target_percent: optional(Percent),
  measurement_window: optional(z.enum(WINDOWS)),
  min_events: optional(z.int().min(1).max(1_000_000)),
  alerting: optional(Alerting),
  version: optional(z.int()),
})
export type SloChange = z.output<typeof SloChange>
