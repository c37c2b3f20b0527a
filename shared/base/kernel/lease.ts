// The right of one process to work on an item until a time. A process that dies cannot give it back, so everything that works on
// stored items holds such a lease, and the sweeper or the next message goes on once it has ended.
//
//   const turns = workLease(exports, 16 * 60_000, 3)
//   const mine = await turns.take(ctx, found)      // undefined: another process has it
//   await turns.renew(ctx, mine, { progress: 40 }) // throws once another process has it
//
// The process that holds a lease is not named. Every renewal and every result replaces the item at the revision that its
// process knows, so a commit of a process after another one has taken over fails with `ConditionFailed` and changes nothing.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { iso } from '../lib/clock.ts'
import type { Failure } from '../lib/failure.ts'
import type { Key, Stored, Write } from '../table/entity.ts'
import { unlessChangedMeanwhile } from './retry.ts'
import type { Table } from '../table/table.ts'

/** The end of a lease as an item stores it: ISO or milliseconds. */
type Moment = string | number | undefined

/** What a lease needs of a context. */
type Holder = { table: Pick<Table, 'commit'>; now: () => number }

/** What a lease needs of an entity. */
type Items<T> = {
  insert: (item: T, otherwise?: Failure) => Write
  replace: (item: T, was: { _v: number }, otherwise?: Failure) => Write
}

/** Where an item stores the end of its lease. `of`: undefined for an item that nobody works on. */
type Ends<T, C> = { of: (item: T) => Moment; until: (end: number) => C }

/** An item that was read, or one that is to be stored for the first time. */
type Known<T> = T & { _v?: number }

/** Builds the writes of a lease that is taken together with more than its item, which they must include. */
type WritesOf<T> = (next: T) => readonly Write[]

/**
 * The one meaning of "its process is alive": the end of the lease lies ahead. `longest`: where nobody can have set an end further
 * ahead (ms), such an end was set by a clock that has been set back since, and holds nothing.
 */
export function isHeld(end: Moment, now: number, longest = Number.POSITIVE_INFINITY): boolean {
  if (end === undefined) return false
  const left = (typeof end === 'number' ? end : Date.parse(end)) - now
  return left > 0 && left <= longest
}

/** `ms` must be longer than the process may live, and shorter than its message stays hidden in a queue. */
export function lease<T extends object, C extends object>(items: Items<T>, ms: number, at: Ends<T, C>) {
  const until = (now: number): C => at.until(now + ms)
  const isTaken = (item: T, now: number): boolean => isHeld(at.of(item), now)

  /** Works on for another `ms`. Throws `ConditionFailed` when another process has taken the item, which changes nothing. */
  async function renew(ctx: Holder, held: Known<T>, change?: Partial<T>, writes?: WritesOf<T>): Promise<Stored<T> & C> {
    const { _v = 0 } = held
    const next = { ...held, ...change, ...until(ctx.now()) }
    const own = () => [_v === 0 ? items.insert(next) : items.replace(next, { _v })]
    await ctx.table.commit(writes?.(next) ?? own())
    return { ...next, _v: _v + 1 }
  }

  return {
    isHeld: isTaken,
    /** The members that take or renew the lease, for a commit that is made elsewhere. */
    until,
    renew,
    /**
     * Afterwards the item, as it is returned, belongs to this process for `ms`. Undefined while another process holds it, and for
     * all but the first of those that take it at the same time.
     */
    take: async (ctx: Holder, was: Known<T>, change?: Partial<T>, writes?: WritesOf<T>) =>
      isTaken(was, ctx.now()) ? undefined : unlessChangedMeanwhile(renew(ctx, was, change, writes)),
    /** Stores `next`, in which `at` names no end or a past one. Throws `ConditionFailed` when another process has the item. */
    release: (ctx: Holder, held: { _v: number }, next: T) => ctx.table.commit([items.replace(next, held)]),
  }
}

/** Work that a queue hands to processes. `attempt` counts those that took it; the sweeper finds it by `due_at`. */
type Work = { attempt: number; due_at?: string | undefined }

/**
 * The lease of such work. While nobody has taken it (`attempt` 0), `due_at` is the time at which the sweeper hands it out again, and
 * from then on the end of the lease. After `attemptsMax` processes that died, the work itself is what kills them: it `isSpent`, and
 * its room ends it.
 */
export function workLease<T extends Work>(items: Items<T>, ms: number, attemptsMax: number) {
  const own = lease(items, ms, {
    of: ({ attempt, due_at }: T) => (attempt > 0 ? due_at : undefined),
    until: (end) => ({ due_at: iso(end) }),
  })
  return {
    ...own,
    take: (ctx: Holder, was: Known<T>, change: Partial<T> = {}, writes?: WritesOf<T>) =>
      own.take(ctx, was, { ...change, attempt: was.attempt + 1 }, writes),
    isSpent: ({ attempt }: Work): boolean => attempt >= attemptsMax,
    /** The members that give the work back: another process may take it at once, and the sweeper hands it out at that time. */
    waiting: (at: number) => ({ attempt: 0, due_at: iso(at) }),
  }
}

/** `end`: the attribute that is compared; `before`: it has ended at this time. `free` says when the item may be taken. */
export type Unread = {
  set: Record<string, unknown>
  end: string
  before: number
  free?: (ended: string) => string
  values?: Record<string, unknown>
}

/**
 * Takes, renews or ends a lease in one write, without reading the item first; an item that does not exist is taken. False when
 * another process holds it. For items that the process does not need to know.
 */
export async function takeUnread(table: Pick<Table, 'update'>, of: Key, unread: Unread): Promise<boolean> {
  const { set, end, before, free = (ended: string) => ended, values } = unread
  const condition = {
    expression: `attribute_not_exists(pk) OR ${free(`#${end} <= :before`)}`,
    values: { ':before': before, ...values },
  }
  try {
    await table.update(of, { set, condition })
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
