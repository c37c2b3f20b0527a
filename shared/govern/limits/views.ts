// What this container has seen of counters, and on which ones it met others.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import { type Key, nameOf } from '../../base/table/entity.ts'
import { isMore, type View } from './window.ts'

/** `by`: the request that saw it. */
type Seen = View & { at: number; by: string }

const views = memory<Seen>(2_000)
/** Until when (ms) a counter is reserved apart from the transaction. */
const contended = memory<number>(2_000)

const CONTENDED_MS = 60_000

export const see = (ctx: Context, of: Key, { t, e, marks }: View): void =>
  void views.set(nameOf(of), { t, e, marks, at: ctx.now(), by: ctx.request.request_id })

/**
 * What an own write tells: at least this. Others may have written meanwhile, so it never replaces what was seen of more, or from
 * before or after something was given back, and it is no reason to refuse without a read.
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
