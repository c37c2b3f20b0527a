// What a request may say of an objective.
import * as z from 'zod'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { MS_EDGES } from '../../base/lib/histogram.ts'
import { sliOf } from './indicator.ts'
import { WINDOWS } from './slo.ts'

const Percent = z.number().gt(0).lt(100)
const Alerting = z.strictObject({
  page: z.boolean().default(true).describe('Severity critical: the budget is gone within days.'),
  ticket: z.boolean().default(true).describe('Severity high: the budget is gone before the window ends.'),
})

const extras = { description: optional(plainText(1_050)).describe('A description for people.') }

export const SloInput = z.strictObject({
  name: displayName(100).describe('A name for people.'),
  ...extras,
  sli: sliOf(MS_EDGES).describe('What is counted as good.'),
  target_percent: Percent.describe('The share of good events that is aimed at.'),
  measurement_window: z.enum(WINDOWS).default('rolling-28d').describe('The time over which events are counted.'),
  min_events: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe('With fewer events in the window the status is `no_data`.'),
  alerting: Alerting.default({ page: true, ticket: true }).describe('Which burn-rate alerts the objective opens.'),
})
export type SloInput = z.output<typeof SloInput>

export const SloChange = z.strictObject({
  name: optional(displayName(100)).describe('A name for people.'),
  ...extras,
  sli: optional(sliOf(MS_EDGES)).describe('What is counted as good.'),
  target_percent: optional(Percent).describe('The share of good events that is aimed at.'),
  measurement_window: optional(z.enum(WINDOWS)).describe('The time over which events are counted.'),
  min_events: optional(z.int().min(1).max(1_000_000)).describe(
    'With fewer events in the window the status is `no_data`.',
  ),
  alerting: optional(Alerting).describe('Which burn-rate alerts the objective opens.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type SloChange = z.output<typeof SloChange>
