// The event log as server-sent events (WHATWG HTML, section 9.2), each event once and in order. The stream ends by itself; a
// client that reconnects with the last id misses nothing. Numbered slots limit the open streams of a tenant and mode.
import type { Context, Space } from '../../base/context.ts'
import type { Sink } from '../../base/wire/call.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Envelope } from './event.ts'
import { eventsAfter, type Located, logHead, oldestRetained, PAGE_COMMITS } from './log.ts'
import * as z from 'zod'
import { isHeld, takeUnread } from '../../base/kernel/lease.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'

const SECOND = 1_000
const MINUTE = 60_000
const LIFETIME = 14 * MINUTE
const HEARTBEAT = 15 * SECOND
const RECHECK = MINUTE
/** A reader that takes nothing for this long is considered gone. */
const STALLED = 30 * SECOND
const STALL_STEP = 50

/** The first bytes: the client's reconnection time (ms). */
export const OPENING = 'retry: 1000\n\n'

export type Following = {
  /** The position of the last event that the reader received. */
  after: number
  isWanted: (event: Envelope) => boolean
  slot: Slot
  /** Throws a `Failure` when the credential is no longer valid. */
  recheck: () => Promise<void>
}

/**
 * The start of a stream: after the given position, or at the end of the log. `reset`: the reader may have missed events,
 * because those after its position have expired, or because the log never gave that position.
 */
export async function startAfter(
  ctx: Context,
  last: number | 'unknown' | undefined,
): Promise<{ after: number; reset: boolean }> {
  const { position } = await logHead(ctx)
  if (last === undefined || last === position) return { after: position, reset: false }
  if (last === 'unknown' || last > position) return { after: position, reset: true }
  const oldest = await oldestRetained(ctx, position, last + 1)
  return { after: oldest - 1, reset: oldest > last + 1 }
}

export const resetFrame = (oldest: number): string => `event: reset\ndata: ${canonicalJson({ oldest })}\n\n`

const eventFrame = ({ position, event }: Located): string =>
  `id: ${position}\nevent: ${event.type}\ndata: ${canonicalJson(event)}\n\n`

/** Resolves when the stream ends: after 14 minutes, or when reader, credential or slot is gone. */
export async function follow(ctx: Context, sink: Sink, following: Following): Promise<void> {
  try {
    await new Stream(ctx, sink, following).run()
  } catch (error) {
    if (!(error instanceof Failure)) throw error // the credential has become invalid
  } finally {
    await following.slot.release()
  }
}

/** True at most once in the given time. */
function every(ms: number, start: number): (now: number) => boolean {
  let due = start + ms
  return (now) => {
    if (now < due) return false
    due = now + ms
    return true
  }
}

class Stream {
  readonly #ctx: Context
  readonly #sink: Sink
  readonly #following: Following
  readonly #end: number
  readonly #beats: (now: number) => boolean
  readonly #checks: (now: number) => boolean

  constructor(ctx: Context, sink: Sink, following: Following) {
    const now = ctx.now()
    this.#ctx = ctx
    this.#sink = sink
    this.#following = following
    this.#end = now + LIFETIME
    this.#beats = every(HEARTBEAT, now)
    this.#checks = every(RECHECK, now)
  }

  async run(): Promise<void> {
    let position = this.#following.after
    let busyAt = this.#ctx.now()
    while (await this.#goesOn()) {
      const found = await eventsAfter(this.#ctx, position)
      for (const located of found) {
        if (this.#following.isWanted(located.event)) await this.#send(eventFrame(located))
        if (!(await this.#goesOn())) return
        position = located.position
        busyAt = this.#ctx.now()
      }
      if (found.length >= PAGE_COMMITS) continue // more events may wait already
      const isIdle = this.#ctx.now() - busyAt >= MINUTE
      await this.#ctx.clock.sleep(isIdle ? 2 * SECOND : SECOND)
    }
  }

  /** Sends the heartbeat, renews the slot and rechecks the credential when they are due. */
  async #goesOn(): Promise<boolean> {
    const now = this.#ctx.now()
    if (this.#sink.destroyed || now >= this.#end) return false
    if (this.#checks(now)) await this.#following.recheck()
    if (!this.#beats(now)) return true
    if (!(await this.#following.slot.renew())) return false
    await this.#send(': hb\n\n')
    return !this.#sink.destroyed
  }

  /** Writes and waits until the reader has taken it; ends the stream when it takes nothing. */
  async #send(frame: string): Promise<void> {
    const { clock } = this.#ctx
    this.#sink.write(frame)
    const stalledAt = clock.now() + STALLED
    while (this.#sink.writableNeedDrain && !this.#sink.destroyed) {
      if (clock.now() >= stalledAt) this.#sink.destroy()
      else await clock.sleep(STALL_STEP)
    }
  }
}

/** A stream that died frees its slot after this time. A living one renews it at each heartbeat. */
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

type Slot = {
  /** False when another stream holds the slot, because this one did not renew it in time. */
  renew: () => Promise<boolean>
  release: () => Promise<void>
}

/**
 * Leases one of the `max` numbered slots of a tenant and mode, which limit its open streams. Throws 429 `stream_limit` when all
 * are taken. A function does not notice that its reader has left, so a stream that `resumes` may take over a slot of its own
 * credential; the former stream ends at its next renewal. Two streams that want one slot at once: only one gets it.
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
