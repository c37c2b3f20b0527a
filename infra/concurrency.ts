// Reserved concurrency of functions that wait for others: targets, identity providers, readers of streams. Without a limit a
// few slow targets would occupy every container of the account.
import type { Row } from './uses.ts'

/** AWS keeps this much for functions without a reservation. */
const UNRESERVED_MIN = 100
/** The share of the reservable concurrency for all slow functions together; the others have the rest. */
const SHARE = 0.5
/** Weights of functions that are called more often than others. */
const WEIGHTS: Record<string, number> = {
  'protocol-execute': 8,
  'agent-execute': 4,
  'events-stream': 4,
  'approvals-approve': 2,
  'workers-retry-webhook': 2,
}

const weightOf = ({ id }: Row) => WEIGHTS[id] ?? 1

/** Functions of queues and schedules are limited by their triggers. */
const startsUnbounded = (row: Row) => !('trigger' in row) || 'task' in row.trigger

const waitsForOthers = (row: Row) =>
  ('stream' in row && row.stream === true) || row.uses.some((use) => 'outbound' in use)

/** Reserved concurrency by function id. Throws when the quota is too small. */
export function reservations(rows: readonly Row[], accountConcurrency: number | undefined): Map<string, number> {
  if (accountConcurrency === undefined) return new Map()
  const slow = rows.filter((row) => startsUnbounded(row) && waitsForOthers(row))
  const parts = slow.reduce((sum, row) => sum + weightOf(row), 0)
  const part = Math.floor(((accountConcurrency - UNRESERVED_MIN) * SHARE) / parts)
  if (part < 1) throw new Error(`context accountConcurrency must be at least ${UNRESERVED_MIN + parts / SHARE}`)
  return new Map(slow.map((row) => [row.id, part * weightOf(row)]))
}
