// The life of a kind of item: its table of states, and the evidence of each change. A room declares it once, beside the kind, and
// its verbs put what a move returns into their commits.
import type { Context } from '../context.ts'
import type { Failure } from '../lib/failure.ts'
import { mustAllowMove, type States } from '../lib/states.ts'
import type { Stored, Write } from '../table/entity.ts'
import { ChangedMeanwhile } from './retry.ts'

/** What a lifecycle needs of a kind of item (`entity` or `bound`). */
type Kind<T> = {
  insert: (item: T, otherwise?: Failure) => Write
  replace: (item: T, was: { _v: number }, otherwise?: Failure) => Write
}

type Live = { status: string }

/** An item without the members that name its artifact, which is not made yet. */
type Draft<T, N extends keyof T> = Omit<T, N>
type Change<T, N extends keyof T> = Partial<Omit<T, N | 'status'>>

/** The item as it will be stored, and its write. A commit takes both the write and the evidence, or neither. */
export type Moved<T> = { item: Stored<T>; write: Write }
/** `transition` goes to `commitWith`, with those of other items that the same commit moves. */
export type Proven<T, Transition> = Moved<T> & { transition: Transition }

type Evidence<T, N extends keyof T, More, F, A, E> = {
  /**
   * The members by which the item names the artifact of its last change, or its time. Before `facts`, since TypeScript infers from it
   * which members a draft lacks.
   */
  named?: (artifact: A) => Pick<T, N>
  /** Ids, states and hashes; texts that people wrote are in the item alone. `was` is undefined for a new item. */
  facts: (next: Draft<T, N>, was: Stored<T> | undefined, more: More | undefined) => F
  events?: (item: Stored<T>, was: Stored<T> | undefined, more: More | undefined) => readonly E[]
}

type Options = {
  /** Thrown by the commit when the item was changed since it was read. Undefined: the commit throws `ConditionFailed`. */
  lost?: () => Failure | undefined
}

/** A function where the items of a kind live by different tables. */
type StatesOf<T extends Live> = States<T['status']> | ((was: T) => Partial<States<T['status']>>)

const overtaken = (): Failure => new ChangedMeanwhile()

/**
 * Gives the `lifecycle` of a layer that knows evidence: facts `F`, artifacts `A` made of them, events `E`.
 *
 * `begin` makes a new item, `move` takes a stored one to another state, `change` changes one within its state, and `touch` does so
 * without evidence (leases, progress). Each returns the next item, its write and the transition that proves it. Nothing is stored
 * until the caller commits these together.
 *
 * A move that the table of states does not have is refused with 409. The state before is never taken from the caller: it is that of
 * the item that was read. If somebody else changed that item meanwhile, the commit fails with `ChangedMeanwhile`, nothing of it is
 * stored, and `retryWhenChanged` runs the verb again. After a crash either all of it is stored or nothing.
 *
 * @example
 * const doors = lifecycle(doorItems, { open: ['shut'], shut: [] }, { named, facts })
 * const { item, write, transition } = doors.move(ctx, was, 'shut', { shut_by: ctx.principal.id })
 * await ctx.table.commit([write, ...commitWith(ctx, [transition])], item.id)
 */
export const lifecycleOf = <F, A, E>(make: (ctx: Context, facts: F) => A) =>
  function lifecycle<T extends Live, N extends keyof T = never, More = undefined>(
    kind: Kind<T>,
    states: StatesOf<T>,
    { facts, named, events, ...options }: Evidence<T, N, More, F, A, E> & Options,
  ) {
    const plain = moves(kind, states, options)

    const proven = (
      ctx: Context,
      next: Draft<T, N>,
      was: Stored<T> | undefined,
      more?: More,
    ): Proven<T, { artifact: A; events: readonly E[] }> => {
      const artifact = make(ctx, facts(next, was, more))
      const complete = { ...next, ...named?.(artifact) } as unknown as T // `named` gives what a draft lacks
      const moved = plain.store(complete, was)
      return { ...moved, transition: { artifact, events: events?.(moved.item, was, more) ?? [] } }
    }

    return {
      begin: (ctx: Context, item: Draft<T, N>, more?: More): Proven<T, { artifact: A; events: readonly E[] }> =>
        proven(ctx, item, undefined, more),

      move: (
        ctx: Context,
        was: Stored<T>,
        to: T['status'],
        change: Change<T, N> = {},
        more?: More,
      ): Proven<T, { artifact: A; events: readonly E[] }> => {
        plain.mustAllow(was, to)
        return proven(ctx, { ...was, ...change, status: to }, was, more)
      },

      change: (
        ctx: Context,
        was: Stored<T>,
        change: Change<T, N>,
        more?: More,
      ): Proven<T, { artifact: A; events: readonly E[] }> => proven(ctx, { ...was, ...change }, was, more),

      touch: plain.touch,
    }
  }

/**
 * The moves of a kind whose own artifact does not name each state: its request is proven, or another item proves it. The rest is as in
 * `lifecycle`.
 */
export function moves<T extends Live>(kind: Kind<T>, states: StatesOf<T>, { lost = overtaken }: Options = {}) {
  const mustAllow = (was: T, to: T['status']): void =>
    mustAllowMove(typeof states === 'function' ? states(was) : states, was.status, to)

  const store = (item: T, was: Stored<T> | undefined): Moved<T> => ({
    item: { ...item, _v: (was?._v ?? 0) + 1 },
    write: was ? kind.replace(item, was, lost()) : kind.insert(item),
  })

  return {
    mustAllow,
    store,
    touch: (was: Stored<T>, change: Partial<Omit<T, 'status'>>): Moved<T> & { transition?: undefined } =>
      store({ ...was, ...change }, was),
    move: (was: Stored<T>, to: T['status'], change: Partial<Omit<T, 'status'>> = {}): Moved<T> => {
      mustAllow(was, to)
      return store({ ...was, ...change, status: to }, was)
    },
  }
}
