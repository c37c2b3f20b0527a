// Reads and writes artefacts. Expiry and use are checked at each read, because the table deletes expired items late.
import {
  accountPartition,
  type Artefact,
  artefacts,
  grantPartition,
  named,
  openPayload,
  sealPayload,
} from './artefact.ts'
import type { Table } from '../../base/table/table.ts'
import type { Key, Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import type { Context } from '../../base/context.ts'

export type Payload = Record<string, unknown>

/** Fields of the item in clear: the owner, the grant under which it was issued, and what a grant shows of itself. */
export type Facts = Partial<Omit<Artefact, 'model' | 'hash' | 'sealed' | 'exp' | 'used_at' | 'tries'>>

export type NewArtefact = { model: string; id: string; payload: Payload; facts?: Facts; exp: number }

/** Writes an artefact and replaces an earlier one. */
export function put(table: Table, { model, id, payload, facts, exp }: NewArtefact): Write {
  const { jti: _, ...kept } = payload // `jti` is the secret id, which must not be readable in the table
  const sealed = sealPayload(model, id, kept, table.random)
  const { item, ...rest } = artefacts.insert({ ...named(model, id), ...facts, sealed, exp })
  const { ConditionExpression: _c, ReturnValuesOnConditionCheckFailure: _r, ...Put } = item.Put ?? raise()
  return { ...rest, item: { Put } }
}

function raise(): never {
  throw new Error('an insertion without an item')
}

/** The payload, with `consumed` (Unix second) once it was used; undefined when it is missing or expired. */
export async function find(table: Table, model: string, id: string): Promise<Payload | undefined> {
  const item = await table.get(artefacts, named(model, id))
  if (!item || item.exp * 1_000 <= table.clock.now()) return undefined
  return { ...openPayload(id, item), jti: id, ...(item.used_at !== undefined && { consumed: item.used_at }) }
}

/** Marks an artefact as used. Of several concurrent calls one gets `true`. */
export async function useOnce(table: Table, model: string, id: string): Promise<boolean> {
  return isFirst(table.commit([use(table, model, id)]))
}

export const remove = (model: string, id: string): Write => artefacts.remove(named(model, id))

/** Fails when the artefact is gone already. */
export const removeExisting = (model: string, id: string): Write =>
  artefacts.remove(named(model, id), { expression: 'attribute_exists(pk)' })

/** The write of `useOnce`, for a transaction. */
export function use(table: Table, model: string, id: string): Write {
  const used_at = Math.floor(table.clock.now() / 1_000)
  const condition = { expression: 'attribute_exists(pk) AND attribute_not_exists(#used_at)' }
  return artefacts.update(named(model, id), { set: { used_at }, condition })
}

const CHUNK = 25

type Range = { pk: string; index: 'gsi1' | 'gsi2'; prefix?: string; limit?: number }

/** Removes all artefacts in a range of an index. Returns how many. */
export async function removeAll(table: Table, range: Range): Promise<number> {
  const keys = await table.keys(range)
  for (let from = 0; from < keys.length; from += CHUNK) {
    await table.commit(keys.slice(from, from + CHUNK).map((one) => artefacts.remove(namedBy(one))))
  }
  return keys.length
}

/** Splits `OIDC#<model>#<hash>`, the partition key of `artefacts`. */
export function namedBy({ pk }: Key) {
  const [, model = '', hash = ''] = pk.split('#')
  return { model, hash }
}

/** Removes the codes and tokens that were issued under a grant. */
export const removeIssued = (table: Table, grantId: string): Promise<number> =>
  removeAll(table, { pk: grantPartition(grantId), index: 'gsi1' })

/** The grants of a person to OAuth clients. */
export const grantsOf = (ctx: Context, user_id: string): Promise<Artefact[]> => unusedOf(ctx, user_id, 'Grant')

/** A person's artefacts of one kind that can still be used. The index lags, so those of the last second may be missing. */
export async function unusedOf(ctx: Context, user_id: string, model: string): Promise<Artefact[]> {
  const found = await ctx.table.query(artefacts, { pk: accountPartition(user_id), index: 'gsi1', prefix: `${model}#` })
  return found.filter(({ used_at, exp }) => used_at === undefined && exp * 1_000 > ctx.now())
}
