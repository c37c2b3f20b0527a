import type * as z from 'zod'
import type { RoutingDecision } from './execution.ts'

/** A routing decision as it is stored; it says so when the caller's latency budget (ms) was not kept. */
export const routingText = (
  routing: z.input<typeof RoutingDecision>,
  { latency_ms, latency_budget_ms }: { latency_ms: number; latency_budget_ms?: number | undefined },
): string => {
  const exceeded = latency_budget_ms !== undefined && latency_ms > latency_budget_ms
  return JSON.stringify({ ...routing, ...(exceeded && { budget_exceeded: true }) })
}
