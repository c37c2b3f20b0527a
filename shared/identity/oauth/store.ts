// Reads and writes artefacts. Expiry and use are decided when an item is read: the table deletes late and indexes lag.
import { artefacts, type Artefact, grantPartition, named, openPayload, sealPayload } from './artefact.ts'
import { ConditionFailed, type Table } from '../../base/table/table.ts'
import type { Key, Write } from '../../base/table/entity.ts'

export type Payload = Record<string, unknown>

/** What of a payload the item shows openly: whose it is, and under which grant it was issued. */
export type Facts = Pick<Artefact, 'tenant_id' | 'client_id' | 'grant_id' | 'account_id' | 'public_id'>

export type NewArtefact = { model: string; id: string; payload: Payload; facts?: Facts; exp: number }

/** Writes an artefact whatever was there before. */
export function put(table: Table, { model, id, payload, facts, exp }: NewArtefact): Write {
  const { jti: _, ...rest } = payload // the id itself, which nobody shall read from the table
  const sealed = sealPayload(model, id, rest, table.random)
  const { item } = artefacts.insert({ ...named(model, id), ...facts, sealed, exp })
  const { ConditionExpression: _c, ReturnValuesOnConditionCheckFailure: _r, ...Put } = item.Put ?? raise()
  return { item: { Put } }
}

function raise(): never {
  throw new Error('an insertion without an item')
}

/** The payload as it was put, with `consumed` (Unix second) once it was used; undefined when there is none or it expired. */
export async function find(table: Table, model: string, id: string): Promise<Payload | undefined> {
  const item = await table.get(artefacts, named(model, id))
  if (!item || item.exp * 1_000 <= table.clock.now()) return undefined
  return { ...openPayload(id, item), jti: id, ...(item.used_at !== undefined && { consumed: item.used_at }) }
}

/** Marks an artefact as used. Of all who try at once one gets `true`. */
export async function useOnce(table: Table, model: string, id: string): Promise<boolean> {
  try {
    await table.commit([use(table, model, id)])
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

export const remove = (model: string, id: string): Write => artefacts.remove(named(model, id))

/** Fails when somebody else was faster. */
export const removeExisting = (model: string, id: string): Write =>
  artefacts.remove(named(model, id), { expression: 'attribute_exists(pk)' })

/** The same mark as `useOnce` makes, as part of a transaction. */
export function use(table: Table, model: string, id: string): Write {
  const used_at = Math.floor(table.clock.now() / 1_000)
  const condition = { expression: 'attribute_exists(pk) AND attribute_not_exists(#used_at)' }
  return artefacts.update(named(model, id), { set: { used_at }, condition })
}

const CHUNK = 25

/** Removes everything in one partition of the first index, or all of one model. */
export async function removeAll(table: Table, pk: string, model?: string): Promise<number> {
  const keys = await table.keys({ pk, index: 'gsi1', ...(model !== undefined && { prefix: `${model}#` }) })
  for (let from = 0; from < keys.length; from += CHUNK) {
    await table.commit(keys.slice(from, from + CHUNK).map((one) => artefacts.remove(namedBy(one))))
  }
  return keys.length
}

/** `OIDC#<model>#<hash>`, as `artefacts.key` writes it. */
export function namedBy({ pk }: Key) {
  const [, model = '', hash = ''] = pk.split('#')
  return { model, hash }
}

/** Everything that was issued under a grant. */
export const removeIssued = (table: Table, grantId: string): Promise<number> =>
  removeAll(table, grantPartition(grantId))
