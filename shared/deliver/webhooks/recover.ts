import { DAY_MS } from '../../base/lib/durations.ts'
import type { Context } from '../../base/context.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { RETENTION_DAYS } from '../../ledger/events/log.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid, unavailable } from '../../base/lib/failure.ts'
import type { Endpoint } from './endpoint.ts'
import { findEnabled } from './find-endpoint.ts'
import { outcomesOf, isLost } from './event-outcome.ts'
import { isSubscribed } from './match.ts'
import { enqueueRecovery } from './queue.ts'
import { walkLog, type Window } from './walk-log.ts'

const WINDOW_DAYS_MAX = 14
/** The most events that one request recovers. */
export const MATCHED_MAX = 10_000
/** The most events that one request reads in its time. */
const WALKED_MAX = 100_000

/** `since` and `until` (by default now) are ISO times, both included. */
export type Recovery = {
  id: string
  since: string
  until?: string | undefined
  types?: readonly string[] | undefined
  dry_run?: boolean | undefined
}

/**
 * Delivers the events that an endpoint never received, by its present subscription, even those from before its registration.
 * A dry run only counts them. A repeat recovers only what is still lost.
 */
export async function recoverDeliveries(
  ctx: Context,
  input: Recovery,
): Promise<{ matched: number; recover_id?: string }> {
  const endpoint = await findEnabled(ctx, input.id)
  const window = windowOf(input, ctx.now())
  const positions = await lostPositions(ctx, endpoint, window, input.types)
  const matched = positions.length
  if (input.dry_run) return { matched }
  const recover_id = ctx.id('rcv')
  const artifact = newArtifact(ctx, {
    type: 'webhook.replayed',
    subject: { type: 'webhook_endpoint', id: endpoint.id },
    data: { recover_id, since: iso(window.since), until: iso(window.until), matched },
  })
  await ctx.table.commit(recorded(ctx, [{ artifact }]))
  await enqueueRecovery(ctx.space, { recover_id, endpoint_id: endpoint.id, positions }).catch((error: unknown) => {
    throw unavailable('The queue does not answer. Repeat the request to recover the rest.', error)
  })
  // The Idempotency-Key is stored only now, so that a caller can repeat a request that the queue has failed.
  if (ctx.table.joining) await ctx.table.commit([], recover_id)
  return { recover_id, matched }
}

/** The window begins no earlier than the oldest retained event. */
function windowOf({ since, until }: Recovery, now: number): Window {
  const from = Date.parse(since)
  const to = until === undefined ? now : Date.parse(until)
  if (from > to) throw invalid(['since'], 'must not be later than until')
  if (to - from > WINDOW_DAYS_MAX * DAY_MS)
    throw invalid(['since'], `must be at most ${WINDOW_DAYS_MAX} days before until`)
  return { since: Math.max(from, now - RETENTION_DAYS * DAY_MS), until: to }
}

async function lostPositions(ctx: Context, endpoint: Endpoint, window: Window, types: Recovery['types']) {
  const wanted = (type: string) => types === undefined || types.includes(type) || types.includes('*')
  const positions: number[] = []
  let walked = 0
  for await (const page of walkLog(ctx, window)) {
    walked += page.length
    if (walked > WALKED_MAX) throw invalid(['since'], `covers more than ${WALKED_MAX} events; choose a shorter window`)
    const subscribed = page.filter(({ event }) => wanted(event.type) && isSubscribed(endpoint, event))
    const outcomes = await outcomesOf(ctx, endpoint.id, subscribed)
    positions.push(...outcomes.filter(isLost).map(({ position }) => position))
  }
  if (positions.length > MATCHED_MAX) {
    throw invalid(
      ['since'],
      `covers ${positions.length} matching events, and at most ${MATCHED_MAX} are recovered at once; choose a shorter window`,
    )
  }
  return positions
}
