// One kind of stored item. Its zod schema is its only description; every read is parsed by that schema.
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type * as z from 'zod'
import { env } from '../lib/runtime.ts'
import { type Failure, unavailable } from '../lib/failure.ts'
import type { ArtifactType } from '../catalog/artifact-types.ts'

export type Key = { pk: string; sk: string }
export type IndexName = 'gsi1' | 'gsi2' | 'gsi3' | 'gsi4'
export type IndexKeys = Partial<Record<`${IndexName}${'pk' | 'sk'}`, string>>

/** An item as it is stored, with its revision, which a replacement must name. */
export type Stored<T> = T & { _v: number }

/** One item of a transaction. */
export type Write = {
  item: TransactWriteItem
  /** Thrown instead of `ConditionFailed` when the condition of this item fails. */
  otherwise?: Failure | undefined
  /** Set on artifacts: the type that the transaction records. */
  artifact?: ArtifactType
  /** Many requests change this item at once. A commit that meets them throws `Contended`. */
  contended?: true
  /** Members of a put that are computed asynchronously; the commit waits for them. */
  members?: () => Promise<Record<string, unknown>>
  /** True if the service did not write the item under the same key, so that this one may overwrite it. */
  isForged?: (stands: Record<string, AttributeValue>) => Promise<boolean>
  /** Called once it is committed. */
  done?: () => void
}

/** Writes of items that only follow another one and must not make its commit fail: built again from the table before each attempt. */
export type Following = { following: () => Promise<Write[]> }

export type Condition = { expression: string; names?: Record<string, string>; values?: Record<string, unknown> }
export type Update = {
  set?: Record<string, unknown>
  remove?: readonly string[]
  add?: Record<string, number>
  condition?: Condition
}

export type Definition<S extends z.ZodType, K> = {
  /** Stored as `_type`; stream filters read it. */
  name: string
  schema: S
  key: (of: K) => Key
  /** Index keys. An item without them is not in the index. All indexes hold keys only. */
  index?: (item: z.output<S>) => IndexKeys
  /** Unix second from which DynamoDB may delete the item. Expiry does not depend on it: readers check it themselves. */
  ttl?: (item: z.output<S>) => number | undefined
  version?: Version
}

type Raw = Record<string, unknown>

/**
 * The form in which items are stored, as `_s`; 1 is not stored. `from`: how an item of another version becomes one of `writes`. An
 * `update` leaves the version of an item, so it may set only what means the same in all of them.
 */
export type Version = { writes: number; from?: Record<number, (other: Raw) => Raw> }
const ONE: Version = { writes: 1 }

/** Why the items of a kind carry no HMAC: what limits somebody who can write to the table, and not through the service. */
export type Unbound =
  /** Before anything is done because of an item, it is compared with its artifacts; or the daily pass compares it. */
  | 'proven by artifacts'
  /** It is sealed or signed, or counts only under a hash that is bound. */
  | 'proven by itself'
  /** It only names an item, and that one is proven. */
  | 'names what is proven'
  /** It gives no right and runs no action: counters, marks, leases, lists, and what is only shown. */
  | 'bounded'
  /** Nothing yet. Decision 192 says what that leaves open. */
  | 'open'

export type Entity<S extends z.ZodType<Record<string, unknown>>, K> = ReturnType<typeof entity<S, K>>

/** Needed for client objects with a member `constructor`, which the marshaller takes for class instances. */
const OPTIONS = { removeUndefinedValues: true, convertClassInstanceToMap: true } as const
const names = (keys: Iterable<string>) => Object.fromEntries([...keys].map((name) => [`#${name}`, name]))

const ABSENT: Condition = { expression: 'attribute_not_exists(pk)' }
/** Needs the value `:was`. */
const SAME_REVISION = { expression: '#_v = :was', names: { '#_v': '_v' } }

/** Names an item in a map. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`

/** The member that holds the HMAC of a bound item. */
export const MAC = '_mac'

/** Joins the parts of a key with `#`. Throws on a part that is empty or holds `#`, since it could forge another key. */
export function key(...parts: string[]): string {
  for (const part of parts) {
    if (part === '' || part.includes('#')) throw new Error('a part of a key is empty or holds #')
  }
  return parts.join('#')
}

/** `T#<tenant>#<live|test>`, the prefix of every partition key of a tenant. */
export const spaceKey = (space: { tenant_id: string; mode: string }, ...parts: string[]): string =>
  key('T', space.tenant_id, space.mode, ...parts)

/** A number as a sort key with the same order. */
export const padded = (value: number, digits = 12): string => String(value).padStart(digits, '0')

export const toAttributes = (item: Record<string, unknown>): Record<string, AttributeValue> => marshall(item, OPTIONS)

const marshalled = (values: Record<string, unknown>) =>
  Object.keys(values).length > 0 ? { ExpressionAttributeValues: marshall(values, OPTIONS) } : {}

/** Builds the expressions of an UpdateItem. Attribute names are placeholders, so reserved words are safe. */
export function updateExpression({ set = {}, remove = [], add = {}, condition }: Update) {
  const present = Object.entries(set).filter(([, value]) => value !== undefined)
  const clauses = [
    present.length > 0 && `SET ${present.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    remove.length > 0 && `REMOVE ${remove.map((name) => `#${name}`).join(', ')}`,
    Object.keys(add).length > 0 &&
      `ADD ${Object.keys(add)
        .map((name) => `#${name} :${name}`)
        .join(', ')}`,
  ].filter((clause) => clause !== false)
  const values = Object.fromEntries([...present, ...Object.entries(add)].map(([name, value]) => [`:${name}`, value]))
  return {
    UpdateExpression: clauses.join(' '),
    ...(condition && { ConditionExpression: condition.expression }),
    ExpressionAttributeNames: {
      ...names([...present.map(([name]) => name), ...remove, ...Object.keys(add)]),
      ...condition?.names,
    },
    ...marshalled({ ...values, ...condition?.values }),
  }
}

/** A kind of items without HMAC, which must say why; others use `bound` of bound.ts. An item of a newer version than ours is read as 503. */
export function entity<S extends z.ZodType<Record<string, unknown>>, K>(
  definition: Definition<S, K> & { unbound: Unbound },
) {
  type Item = z.output<S>
  const { writes } = definition.version ?? ONE

  const put = (item: Item, revision: number, condition: Condition): TransactWriteItem['Put'] => ({
    TableName: env('TABLE_NAME'),
    Item: toAttributes({
      ...item,
      ...definition.key(item as unknown as K), // a key is built from members of the item
      ...definition.index?.(item),
      _type: definition.name,
      _v: revision,
      _s: writes === 1 ? undefined : writes,
      _ttl: definition.ttl?.(item),
    }),
    ConditionExpression: condition.expression,
    ...(condition.names && { ExpressionAttributeNames: condition.names }),
    ...(condition.values && marshalled(condition.values)),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })

  const check = (of: K, condition: Condition, otherwise?: Failure): Write => ({
    item: {
      ConditionCheck: {
        TableName: env('TABLE_NAME'),
        Key: toAttributes(definition.key(of)),
        ConditionExpression: condition.expression,
        ...(condition.names && { ExpressionAttributeNames: condition.names }),
        ...(condition.values && marshalled(condition.values)),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    otherwise,
  })

  return {
    ...definition,

    decode: (attributes: Record<string, AttributeValue>): Stored<Item> => {
      const stored = unmarshall(attributes)
      return { ...definition.schema.parse(asWritten(definition, stored)), _v: Number(stored._v ?? 0) }
    },

    /** Writes an item that must not exist yet. */
    insert: (item: Item, otherwise?: Failure): Write => ({
      item: { Put: put(item, 1, ABSENT) },
      otherwise,
    }),

    /** Replaces an item that was read; fails when it was changed since. */
    replace: (item: Item, was: { _v: number }, otherwise?: Failure): Write => ({
      item: {
        Put: put(item, was._v + 1, { ...SAME_REVISION, values: { ':was': was._v } }),
      },
      otherwise,
    }),

    /** Changes single attributes under the caller's condition. `_v` grows by one. */
    update: (of: K, change: Update, otherwise?: Failure): Write => ({
      item: {
        Update: {
          TableName: env('TABLE_NAME'),
          Key: toAttributes(definition.key(of)),
          ...updateExpression({ ...change, add: { ...change.add, _v: 1 } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      otherwise,
    }),

    /** Changes nothing. The transaction fails unless the condition holds for the item. */
    check,

    /** Changes nothing. The transaction fails unless the item still has this revision; 0: unless there is no item. */
    stays: (of: K, revision: number, otherwise?: Failure): Write =>
      check(of, revision === 0 ? ABSENT : { ...SAME_REVISION, values: { ':was': revision } }, otherwise),

    remove: (of: K, condition?: Condition, otherwise?: Failure): Write => ({
      item: {
        Delete: {
          TableName: env('TABLE_NAME'),
          Key: toAttributes(definition.key(of)),
          ...(condition && { ConditionExpression: condition.expression }),
          ...(condition?.names && { ExpressionAttributeNames: condition.names }),
          ...(condition?.values && marshalled(condition.values)),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      otherwise,
    }),
  }
}

/** The item in the form that this release writes. */
function asWritten({ name, version: { writes, from } = ONE }: { name: string; version?: Version }, stored: Raw): Raw {
  const version = Number(stored._s ?? 1)
  if (version === writes) return stored
  if (from?.[version]) return from[version](stored)
  const error = new Error(`${name} is stored in version ${version}, and this release reads ${writes}`)
  throw version > writes ? unavailable('This was stored by a newer release. Repeat your request.', error) : error
}

/** The tenant and mode of a partition key that `spaceKey` made; undefined for keys outside any tenant. */
export function spaceOf(pk: string): { tenant_id: string; mode: 'live' | 'test' } | undefined {
  const [prefix, tenant_id, mode] = pk.split('#')
  return prefix === 'T' && tenant_id && (mode === 'live' || mode === 'test') ? { tenant_id, mode } : undefined
}
