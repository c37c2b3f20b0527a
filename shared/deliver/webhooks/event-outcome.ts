// Which events an endpoint never received: there was no delivery, or it and all of its replays failed.
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Delivery, deliveries } from './delivery.ts'
import { deliveryId } from './delivery-rules.ts'
import type { LoggedEvent } from './walk-log.ts'

/** An event and its delivery to one endpoint, or the latest replay of that; undefined when there was none. */
export type EventOutcome = LoggedEvent & { delivery: Stored<Delivery> | undefined }

export const isLost = ({ delivery }: EventOutcome): boolean => delivery === undefined || delivery.status === 'failed'

/** In the order of the events. */
export async function outcomesOf(
  ctx: Context,
  endpointId: string,
  events: readonly LoggedEvent[],
): Promise<EventOutcome[]> {
  const ids = events.map(({ event }) => deliveryId(event.id, endpointId))
  const last = await lastOf(ctx, ids)
  return events.map((event, index) => ({ ...event, delivery: last.get(ids[index] ?? '') }))
}

type Latest = Map<string, Stored<Delivery>>

/** The latest delivery of each: a failed one is replaced by its latest replay to the same endpoint. */
export async function lastOf(ctx: Context, ids: readonly string[]): Promise<Latest> {
  const keys = ids.map((id) => ({ ...ctx.space, id }))
  const found = await ctx.table.getAll(deliveries, keys)
  const replays = found.map(({ status, replayed_as }) => (status === 'failed' ? replayed_as : undefined))
  const open = replays.filter((id) => id !== undefined)
  const later: Latest = open.length === 0 ? new Map() : await lastOf(ctx, open)
  return new Map(found.map((delivery, index) => [delivery.id, later.get(replays[index] ?? '') ?? delivery]))
}
