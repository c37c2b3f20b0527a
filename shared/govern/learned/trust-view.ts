// The trust of an agent, key or client as people see it.
import * as z from 'zod'
import type { Conduct } from '../../ledger/conduct/conduct.ts'
import { trustRecordOf } from './learned.ts'

const count = z.int()

/** Totals are since its first action; `days_known`: on how many of the last 31 days something became of one. */
export const TrustView = z.object({
  trust: z
    .number()
    .describe('From 0 to 100; 50 for a stranger. Below the floor of the tenant actions are decided a tier stricter.'),
  executions: count.describe('Actions that ran, ever.'),
  approvals: count.describe('Approvals that it needed and got.'),
  rejected: count.describe('Actions that people or keys rejected.'),
  undone: count.describe('Actions that were undone.'),
  failed: count.describe('Actions that failed.'),
  violations: count.describe('Actions that a policy refused.'),
  first_at: z.string().nullable().describe('Its first action.'),
  days_known: count.describe('On how many of the last 31 days something became of its actions.'),
})
export type TrustView = z.output<typeof TrustView>

/** Without conduct: that of a stranger. */
export const trustView = (conduct: Conduct | undefined, now: number): TrustView => ({
  ...trustRecordOf(conduct, now),
  approvals: conduct?.approvals ?? 0,
  rejected: conduct?.rejected ?? 0,
  undone: conduct?.undone ?? 0,
  failed: conduct?.failed ?? 0,
  violations: conduct?.violations ?? 0,
  first_at: conduct?.first_at ?? null,
  days_known: conduct?.days.length ?? 0,
})
