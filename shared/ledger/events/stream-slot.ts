// Limits the open event streams of a tenant and mode. A stream leases a numbered slot and renews it, so the slots of dead
// streams become free.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { isHeld, takeUnread } from '../../base/kernel/lease.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'

const LEASE_MS = 45_000
const RETRY_SECONDS = 30

const streamSlots = entity({
  name: 'STREAMSLOT',
  unbound: 'bounded',
  schema: z.object({
    slot: z.int(),
    holder: z.string(),
    /** Id of the credential whose stream it is. */
    reader: z.string(),
    /** End of the lease (ms). */
    until: z.int(),
  }),
  key: (of: Space & { slot: number }) => ({ pk: spaceKey(of, 'STREAM'), sk: String(of.slot) }),
})

export type Slot = {
  /** False when another stream holds the slot, because this one did not renew it in time. */
  renew: () => Promise<boolean>
  release: () => Promise<void>
}

/**
 * Throws 429 `stream_limit` when all slots are taken. A function does not notice that its reader has left, so a stream that
 * `resumes` may take over a slot of its own credential; the former stream ends at its next renewal.
 */
export async function takeSlot(ctx: Context, max: number, { resumes }: { resumes: boolean }): Promise<Slot> {
  const holder = ctx.id('stm')
  const held = await ctx.table.query(streamSlots, { pk: spaceKey(ctx.space, 'STREAM') })
  const busy = new Set(held.filter(({ until }) => isHeld(until, ctx.now())).map(({ slot }) => slot))
  for (let slot = 1; slot <= max; slot += 1) {
    if (!busy.has(slot) && (await hold(ctx, slot, holder))) return slotOf(ctx, slot, holder)
  }
  const sameReader = held.filter(({ slot, reader }) => slot <= max && reader === ctx.principal.id)
  const oldest = sameReader.toSorted((a, b) => (a.holder < b.holder ? -1 : 1))[0]
  if (resumes && oldest && (await hold(ctx, oldest.slot, holder, { from: oldest.holder }))) {
    return slotOf(ctx, oldest.slot, holder)
  }
  const options = { code: 'stream_limit', retryAfterSeconds: RETRY_SECONDS }
  throw new Failure(
    'rate_limited',
    `You can open at most ${max} event streams. Close one, or retry in ${RETRY_SECONDS} seconds.`,
    options,
  )
}

const slotOf = (ctx: Context, slot: number, holder: string): Slot => ({
  renew: () => hold(ctx, slot, holder),
  release: async () => void (await hold(ctx, slot, holder, { leaseMs: 0 })),
})

/** Takes a free slot, renews the stream's own, or takes over that of `from`. A lease of length 0 releases it. */
function hold(
  ctx: Context,
  slot: number,
  holder: string,
  { leaseMs = LEASE_MS, from = holder }: { leaseMs?: number; from?: string } = {},
): Promise<boolean> {
  const now = ctx.now()
  const until = now + leaseMs
  const reader = ctx.principal.id
  return takeUnread(ctx.table, streamSlots.key({ ...ctx.space, slot }), {
    set: { _type: streamSlots.name, slot, holder, reader, until, _ttl: Math.ceil(until / 1_000) },
    end: 'until',
    before: now,
    free: (ended) => `${ended} OR #holder = :from`,
    values: { ':from': from },
  })
}
