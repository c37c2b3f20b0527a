// The sliding total of one counter. Its item holds everything that was ever added, and for each bucket of time a mark: that
// total before the first write of the bucket. Marks of the past never change, so the total of the window is a subtraction,
// and "does it fit" is a comparison of one number, which a condition of the table can make.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import { type Key, nameOf } from '../../base/table/entity.ts'

/** What a container has seen of a counter. `marks`: by bucket. `e`: how often something was given back. */
export type View = { t: bigint; e: bigint; marks: ReadonlyMap<number, bigint> }

/** What an action adds to a counter: `n`, of at most `max` in a window. */
export type Share = { n: bigint; max: bigint; windowMs: number }

export const EMPTY: View = { t: 0n, e: 0n, marks: new Map() }

const BUCKETS = 48
/** Clocks of two containers are at most half a second off. */
const SKEW_MS = 1_000
/** Marks are kept a little longer than any container needs them. */
const KEPT_MS = 2_000

export const bucketAt = (windowMs: number, at: number): number => Math.floor(at / (windowMs / BUCKETS))

/**
 * The total at the start of the window, or less. The smallest mark and not the oldest, because clocks that lag write marks out of
 * order.
 */
export function baseOf({ t, marks }: View, windowMs: number, now: number): bigint {
  const first = bucketAt(windowMs, now - windowMs - SKEW_MS)
  let base = t
  for (const [bucket, mark] of marks) if (bucket >= first && mark < base) base = mark
  return base
}

/** The largest total to which `n` may still be added. A view that is old gives too small a one. */
export const roomOf = (view: View, { n, max, windowMs }: Share, now: number): bigint =>
  max + baseOf(view, windowMs, now) - n

export const isOver = (view: View, share: Share, now: number): boolean =>
  share.n > share.max || view.t > roomOf(view, share, now)

/** Buckets whose marks no container needs any more. */
export function outdated({ marks }: View, windowMs: number, now: number): number[] {
  const first = bucketAt(windowMs, now - windowMs - KEPT_MS)
  return [...marks.keys()].filter((bucket) => bucket < first)
}

/** The counter after `n` more. */
export function added(view: View, { n, windowMs }: Pick<Share, 'n' | 'windowMs'>, now: number): View {
  const bucket = bucketAt(windowMs, now)
  const marks = new Map(view.marks)
  for (const old of outdated(view, windowMs, now)) marks.delete(old)
  if (!marks.has(bucket)) marks.set(bucket, view.t)
  return { ...view, t: view.t + n, marks }
}

/** Whether the total after an own write says more than what is known of the counter. */
export const isMore = (known: View | undefined, { t, e }: View): boolean => !known || (known.e === e && known.t < t)

/** The counter without `n` of an earlier bucket. `e` grows, because earlier views of the counter are void. */
export function givenBack({ t, e, marks }: View, n: bigint, bucket: number): View {
  const later = [...marks].map(([at, mark]) => [at, at > bucket ? mark - n : mark] as const)
  return { t: t - n, e: e + 1n, marks: new Map(later) }
}

/** When (ms) enough has left the window for `n` more, if nothing is added; undefined when it never fits. */
export function fitsAt(view: View, { n, max, windowMs }: Share): number | undefined {
  if (n > max) return undefined
  const needed = view.t + n - max
  const blocking = [...view.marks].filter(([, mark]) => mark < needed).map(([bucket]) => bucket)
  const free = Math.max(...blocking) + 1
  return free * (windowMs / BUCKETS) + windowMs + SKEW_MS
}

/** `by`: the request that saw it. */
type Seen = View & { at: number; by: string }

const views = memory<Seen>(2_000)
/** Until when (ms) a counter is reserved apart from the transaction. */
const contended = memory<number>(2_000)

const CONTENDED_MS = 60_000

export const see = (ctx: Context, of: Key, { t, e, marks }: View): void =>
  void views.set(nameOf(of), { t, e, marks, at: ctx.now(), by: ctx.request.request_id })

/**
 * After its own write a container knows the lowest total that the counter can have. Others may have written meanwhile, so a view with
 * a higher total, or from before or after something was given back, is not replaced; and an action is refused only after a read.
 */
export function learn(ctx: Context, of: Key, view: View): void {
  if (isMore(views.get(nameOf(of)), view)) views.set(nameOf(of), { ...view, at: ctx.now(), by: '' })
}

/** A view that is older than the window says nothing about it. `fresh`: this request has seen it. */
export function seen(ctx: Context, of: Key, windowMs: number): { view: View; fresh: boolean } | undefined {
  const view = views.get(nameOf(of))
  if (!view || ctx.now() - view.at >= windowMs) return undefined
  return { view, fresh: view.by === ctx.request.request_id }
}

export const noteContended = (ctx: Context, name: string): void => void contended.set(name, ctx.now() + CONTENDED_MS)

export const isContended = (ctx: Context, of: Key): boolean => (contended.get(nameOf(of)) ?? 0) > ctx.now()
