// What a policy costs the people who approve: of the newest executions that it did not let pass.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type Approval, approvals } from '../approvals/approval.ts'
import { executions } from '../executions/execution.ts'

const count = z.int()

export const ApprovalsReport = z.object({
  would_add: count.describe('Actions that it turned, or would turn, into approvals.'),
  looked_up: count.describe('So many of the newest executions were looked up for the figures below.'),
  asked: count.describe('How many of them asked people for approval.'),
  approved: count.describe('Approvals that people gave.'),
  rejected: count.describe('Approvals that were refused.'),
  expired: count.describe('Approvals that nobody decided in time.'),
  waiting: count.describe('How many still wait.'),
  median_wait_s: z.number().nullable().describe('Half of them were decided within so many seconds; null without any.'),
  p90_wait_s: z.number().nullable().describe('Nine of ten were decided within so many seconds; null without any.'),
  waits_of: count.describe('How many decided approvals the waits are of.'),
})

export async function approvalsReport(
  { table, space }: Context,
  ids: readonly string[],
  changes: Readonly<Record<string, number>>,
): Promise<z.input<typeof ApprovalsReport>> {
  const found = await table.getAll(
    executions,
    ids.map((id) => ({ ...space, id })),
  )
  const asked = found.flatMap(({ held }) => (held ? [{ ...space, id: held.id }] : []))
  const all = await table.getAll(approvals, asked)
  const of = (status: Approval['status']) => all.filter((one) => one.status === status).length
  const waits = all.flatMap(waitOf).toSorted((one, other) => one - other)
  return {
    would_add: (changes['AUTO->HARD'] ?? 0) + (changes['SOFT->HARD'] ?? 0),
    looked_up: ids.length,
    asked: asked.length,
    approved: of('approved'),
    rejected: of('rejected'),
    expired: of('expired'),
    waiting: of('pending'),
    median_wait_s: quantile(waits, 0.5),
    p90_wait_s: quantile(waits, 0.9),
    waits_of: waits.length,
  }
}

/** Seconds from the question to the answer of people. */
const waitOf = ({ status, requested_at, decided_at }: Approval): number[] =>
  decided_at !== undefined && (status === 'approved' || status === 'rejected')
    ? [Math.round((Date.parse(decided_at) - Date.parse(requested_at)) / 1_000)]
    : []

/** The nearest rank. */
const quantile = (ordered: readonly number[], share: number): number | null =>
  ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? null
