// How many containers each function may hold that waits for somebody else's answer: a target, an identity provider, a
// reader of a stream. Without a bound a few slow targets would hold every container of the account.
import type { Row } from './uses.ts'

/** What AWS keeps for functions without a reservation. */
const UNRESERVED_MIN = 100
/** Of what may be reserved, slow functions get this share together; all others have the rest to themselves. */
const SHARE = 0.5
/** How much more often than others a function is called. */
const WEIGHTS: Record<string, number> = {
  'protocol-execute': 8,
  'agent-execute': 4,
  'events-stream': 4,
  'approvals-approve': 2,
  'workers-retry-webhook': 2,
}

const weightOf = ({ id }: Row) => WEIGHTS[id] ?? 1

/** Queues and schedules bound their functions by themselves. */
const startsUnbounded = (row: Row) => !('trigger' in row) || 'task' in row.trigger

const waitsForOthers = (row: Row) =>
  ('stream' in row && row.stream === true) || row.uses.some((use) => 'outbound' in use)

/** Reserved containers by the function's id. Throws when the quota is too small to reserve any of it. */
export function reservations(rows: readonly Row[], accountConcurrency: number | undefined): Map<string, number> {
  if (accountConcurrency === undefined) return new Map()
  const slow = rows.filter((row) => startsUnbounded(row) && waitsForOthers(row))
  const parts = slow.reduce((sum, row) => sum + weightOf(row), 0)
  const part = Math.floor(((accountConcurrency - UNRESERVED_MIN) * SHARE) / parts)
  if (part < 1) throw new Error(`context accountConcurrency must be at least ${UNRESERVED_MIN + parts / SHARE}`)
  return new Map(slow.map((row) => [row.id, part * weightOf(row)]))
}
