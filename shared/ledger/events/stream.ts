// The event log as a stream of server-sent events (WHATWG HTML, section 9.2). It carries each event once and in order, and
// ends by itself: whoever connects again with the id it saw last misses nothing.
import type { Context } from '../../base/context.ts'
import type { Sink } from '../../base/wire/call.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Envelope } from './event.ts'
import { logHead } from './log.ts'
import { eventsAfter, type Located, oldestRetained, PAGE_COMMITS } from './read-log.ts'
import type { Slot } from './stream-slot.ts'

const SECOND = 1_000
const MINUTE = 60_000
const LIFETIME = 14 * MINUTE
const HEARTBEAT = 15 * SECOND
const RECHECK = MINUTE
/** A reader that takes nothing for so long is gone. */
const STALLED = 30 * SECOND
const STALL_STEP = 50

/** The first bytes: how soon (ms) a client connects again. */
export const OPENING = 'retry: 1000\n\n'

export type Following = {
  /** The position of the last event that the reader has. */
  after: number
  isWanted: (event: Envelope) => boolean
  slot: Slot
  /** Throws a `Failure` when the credential is no longer valid. */
  recheck: () => Promise<void>
}

/** Where a stream begins: after the given position, or at the end of the log. `reset` when what follows it is gone. */
export async function startAfter(ctx: Context, last: number | undefined): Promise<{ after: number; reset: boolean }> {
  const { position } = await logHead(ctx)
  if (last === undefined || last >= position) return { after: position, reset: false }
  const oldest = await oldestRetained(ctx, position, last + 1)
  return { after: oldest - 1, reset: oldest > last + 1 }
}

export const resetFrame = (oldest: number): string => `event: reset\ndata: ${canonicalJson({ oldest })}\n\n`

const eventFrame = ({ position, event }: Located): string =>
  `id: ${position}\nevent: ${event.type}\ndata: ${canonicalJson(event)}\n\n`

/** Resolves when the stream is over: after 14 minutes, or when reader, credential or place is gone. */
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
      if (found.length >= PAGE_COMMITS) continue // more may wait already, and whoever is behind has to catch up
      const isIdle = this.#ctx.now() - busyAt >= MINUTE
      await this.#ctx.clock.sleep(isIdle ? 2 * SECOND : SECOND)
    }
  }

  /** Beats, renews and checks when their times have come. */
  async #goesOn(): Promise<boolean> {
    const now = this.#ctx.now()
    if (this.#sink.destroyed || now >= this.#end) return false
    if (this.#checks(now)) await this.#following.recheck()
    if (!this.#beats(now)) return true
    if (!(await this.#following.slot.renew())) return false
    await this.#send(': hb\n\n')
    return !this.#sink.destroyed
  }

  /** Writes and waits until the reader has taken what was written; cuts it off when it takes nothing. */
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
