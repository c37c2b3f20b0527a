// The standing of an agent, key or client as people see it.
import * as z from 'zod'
import type { Conduct } from '../../ledger/conduct/conduct.ts'
import { standingOf } from './trust.ts'

const count = z.int()

/** Totals are since its first action; `days_known`: on how many of the last 31 days something became of one. */
export const StandingView = z.object({
  trust: z.number(),
  executions: count,
  approvals: count,
  rejected: count,
  undone: count,
  failed: count,
  violations: count,
  first_at: z.string().nullable(),
  days_known: count,
})
export type StandingView = z.output<typeof StandingView>

/** Without conduct: that of a stranger. */
export const standingView = (conduct: Conduct | undefined, now: number): StandingView => ({
  ...standingOf(conduct, now),
  approvals: conduct?.approvals ?? 0,
  rejected: conduct?.rejected ?? 0,
  undone: conduct?.undone ?? 0,
  failed: conduct?.failed ?? 0,
  violations: conduct?.violations ?? 0,
  first_at: conduct?.first_at ?? null,
  days_known: conduct?.days.length ?? 0,
})
