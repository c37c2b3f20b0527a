import type * as z from 'zod'
import type { RoutingDecision } from './execution.ts'

/** The stored routing decision; `budget_exceeded` when it took longer than the caller's latency budget (ms). */
export const routingText = (
  routing: z.input<typeof RoutingDecision>,
  { latency_ms, latency_budget_ms }: { latency_ms: number; latency_budget_ms?: number | undefined },
): string => {
  const exceeded = latency_budget_ms !== undefined && latency_ms > latency_budget_ms
  return JSON.stringify({ ...routing, ...(exceeded && { budget_exceeded: true }) })
}
