// Reads and changes the definitions of one kind.
import type * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Entity, Stored, Write } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { type Defined, type Definition, oneMore, operationsKey, totals, versionOf } from './definition.ts'

export type Kind<T extends Definition> = {
  /** Its name in errors. */
  resource: string
  /** Its name in evidence and the audit log. */
  subject: 'slo' | 'alert_rule'
  prefix: string
  /** Beginning of its sort keys. */
  sort: string
  of: Entity<z.ZodType<T & Record<string, unknown>>, Space & { id: string }>
  /** The most that a tenant may make beside the built-in ones, in one mode. */
  max: number
  builtIn: (space: Space) => T[]
  /** Members that the audit log compares. */
  audited: readonly (keyof T & string)[]
}

/** In the order of their names; the built-in ones first. */
export async function allOf<T extends Definition>({ table, space }: Pick<Context, 'table' | 'space'>, kind: Kind<T>) {
  const from = `${kind.sort}#`
  const stored = await table.query(kind.of, { pk: operationsKey(space), from, to: `${from}~` })
  return merged(kind, space, stored)
}

/** Definitions with what was read of them. */
export function merged<T extends Definition>(kind: Kind<T>, space: Space, stored: readonly Stored<T>[]): Defined<T>[] {
  const storedOf = new Map(stored.map((item) => [item.id, item]))
  const given = kind.builtIn(space)
  const ids = new Set(given.map(({ id }) => id))
  const own = stored.filter(({ id }) => !ids.has(id)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    ...given.map((item) => ({ ...item, _v: 0, ...storedOf.get(item.id), built_in: true })),
    ...own.map((item) => ({ ...item, built_in: false })),
  ]
}

/** Throws 404. */
export async function find<T extends Definition>(ctx: Context, kind: Kind<T>, id: string): Promise<Defined<T>> {
  const given = kind.builtIn(ctx.space).find((item) => item.id === id)
  const stored = await ctx.table.get(kind.of, { ...ctx.space, id })
  if (!stored && !given) throw notFound(kind.resource)
  return stored ? { ...stored, built_in: given !== undefined } : { ...(given as T), _v: 0, built_in: true }
}

/** Throws 409 when the tenant has as many as it may have. */
export async function create<T extends Definition>(ctx: Context, kind: Kind<T>, draft: T): Promise<Defined<T>> {
  const full = conflict(`You have ${kind.max} of your own already. Delete one that you no longer need.`)
  const counted = oneMore(ctx.space, kind.sort, kind.max, full)
  const item = draft as T & Record<string, unknown> // the entity's schema is wider than any definition
  await ctx.table.commit([counted, kind.of.insert(item), ...traces(ctx, kind, 'created', undefined, draft)], draft.id)
  return { ...draft, _v: 1, built_in: false }
}

/** `version` names the state that the change was made for. Throws 404 and 409. */
export async function change<T extends Definition>(
  ctx: Context,
  kind: Kind<T>,
  { id, version, apply }: { id: string; version: number | undefined; apply: (was: Defined<T>) => T },
): Promise<Defined<T>> {
  const was = await find(ctx, kind, id)
  mustBeCurrent(version, versionOf(was))
  const next = { ...apply(was), updated_at: iso(ctx.now()) }
  const { built_in, ...item } = next as T & { built_in?: boolean }
  const lost = conflict('The resource was changed by another request. Read it again, then repeat your change.')
  const stored = item as unknown as T & Record<string, unknown> // without the one member that is not stored
  const write = was._v === 0 ? kind.of.insert(stored, lost) : kind.of.replace(stored, was, lost)
  await ctx.table.commit([write, ...traces(ctx, kind, 'updated', was, next)], id)
  return { ...next, _v: was._v + 1, built_in: was.built_in }
}

/** Throws 404, and 409 for a built-in one. */
export async function remove<T extends Definition>(
  ctx: Context,
  kind: Kind<T>,
  { id, version }: { id: string; version: number | undefined },
): Promise<void> {
  const was = await find(ctx, kind, id)
  if (was.built_in) throw conflict(`You cannot delete a built-in ${kind.resource}. Change it instead.`)
  mustBeCurrent(version, versionOf(was))
  const removal = kind.of.remove(
    { ...ctx.space, id },
    { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': was._v } },
    conflict('The resource was changed by another request. Read it again, then repeat your change.'),
  )
  const counted = totals.update({ ...ctx.space, kind: kind.sort }, { add: { total: -1 } })
  await ctx.table.commit([removal, counted, ...traces(ctx, kind, 'deleted', was, undefined)], id)
}

function traces<T extends Definition>(
  ctx: Context,
  { subject, audited }: Kind<T>,
  verb: 'created' | 'updated' | 'deleted',
  was: T | undefined,
  next: T | undefined,
): Write[] {
  const { id = '', name = '' } = next ?? was ?? {}
  const members = (item: T | undefined) => item as Parameters<typeof differences>[0]
  const changes = next ? differences(members(was), members(next) ?? {}, audited) : []
  const of: Change = {
    action: `${subject}.${verb}`,
    artifact: `${subject}.${verb}`,
    subject: { type: subject, id, name },
    data: { changed_fields: changes.map(({ path }) => path) },
    changes,
  }
  return changed(ctx, [of])
}
