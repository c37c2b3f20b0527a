// Look-up rows: they lead from the value of an attribute to the resources that have it. Directories search for a resource
// before they create it, so that search must not be a scan.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { sha256 } from '../../../base/lib/json.ts'
import { bound } from '../../../base/table/bound.ts'
import { spaceKey, type Write } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { type Attribute, comparable, subAttribute } from './attribute.ts'
import { coreAttribute, GROUP, isObject, type Resource, type ResourceType, USER } from '../resource-type.ts'

/** The most resources that one request may scan. */
export const SCAN_MAX = 10_000

/** A transaction holds 100 writes, and a person may change all addresses at once. */
export const ADDRESSES_MAX = 20

const KEYED = ['userName', 'externalId', 'userDisplayName', 'email', 'displayName', 'groupExternalId'] as const
/** The names of the rows. Those of groups are `displayName` and `groupExternalId`. */
export type KeyedAttribute = (typeof KEYED)[number]

const ScimKey = z.object({
  ...spaceMembers,
  attribute: z.enum(KEYED),
  hash: z.string(),
  id: z.string(),
})
export type ScimKey = z.output<typeof ScimKey>

export const keyPartition = (of: Space & Pick<ScimKey, 'attribute' | 'hash'>): string =>
  spaceKey(of, 'SCIMKEY', of.attribute, of.hash)

/** A user name has a single row, which makes it unique. Other values may belong to several resources. */
export const scimKeys = bound({
  name: 'SCIMKEY',
  schema: ScimKey,
  key: (of: Space & Pick<ScimKey, 'attribute' | 'hash' | 'id'>) => ({
    pk: keyPartition(of),
    sk: of.attribute === 'userName' ? 'U' : of.id,
  }),
})

/** Names of rows → the attributes whose values they hold. */
const ATTRIBUTES: Record<KeyedAttribute, { type: ResourceType; path: readonly [name: string, sub?: string] }> = {
  userName: { type: USER, path: ['userName'] },
  externalId: { type: USER, path: ['externalId'] },
  userDisplayName: { type: USER, path: ['displayName'] },
  email: { type: USER, path: ['emails', 'value'] },
  displayName: { type: GROUP, path: ['displayName'] },
  groupExternalId: { type: GROUP, path: ['externalId'] },
}

/** The name of the rows for the attribute at a path. */
export const keyedAttribute = (type: ResourceType, path: readonly string[]): KeyedAttribute | undefined =>
  KEYED.find((one) => ATTRIBUTES[one].type === type && ATTRIBUTES[one].path.join('.') === path.join('.'))

function describedAttribute(of: KeyedAttribute): Attribute | undefined {
  const { type, path } = ATTRIBUTES[of]
  const [name, sub] = path
  const attribute = coreAttribute(type, name)
  return attribute && sub !== undefined ? subAttribute(attribute, sub) : attribute
}

/** Equal for values that the schema treats as equal. */
export function keyHash(attribute: KeyedAttribute, value: string): string {
  const described = describedAttribute(attribute)
  return sha256(described ? comparable(described, value) : value).toString('base64url')
}

/** The look-up row of a resource for one value. */
export const keyRow = ({ tenant_id, mode }: Space, attribute: KeyedAttribute, value: string, id: string): ScimKey => ({
  tenant_id,
  mode,
  attribute,
  hash: keyHash(attribute, value),
  id,
})

/** The look-up rows of a resource, except the one of its user name, see `claimUserName`. */
function rowsOf(space: Space, type: ResourceType, id: string, resource: Resource): ScimKey[] {
  const rows = KEYED.filter((one) => one !== 'userName' && ATTRIBUTES[one].type === type).flatMap((attribute) =>
    valuesOf(resource, ATTRIBUTES[attribute].path).map((value) => keyRow(space, attribute, value, id)),
  )
  return [...new Map(rows.map((row) => [keyPartition(row), row])).values()]
}

/** The texts at a path, of a list at most those that have rows. */
function valuesOf(resource: Resource, [name, sub]: readonly [name: string, sub?: string]): string[] {
  const all = [resource[name]].flat().slice(0, ADDRESSES_MAX)
  const values = sub === undefined ? all : all.filter(isObject).map((one) => one[sub])
  return values.filter((value) => typeof value === 'string').filter((value) => value !== '')
}

/** The writes that turn the look-up rows of `was` into those of `next`. */
export function keyWrites(space: Space, type: ResourceType, id: string, was: Resource, next: Resource): Write[] {
  const [former, present] = [rowsOf(space, type, id, was), rowsOf(space, type, id, next)]
  const lacks = (rows: readonly ScimKey[], row: ScimKey) => !rows.some((one) => keyPartition(one) === keyPartition(row))
  return [
    ...former.filter((row) => lacks(present, row)).map((row) => scimKeys.remove(row)),
    ...present.filter((row) => lacks(former, row)).map((row) => scimKeys.insert(row)),
  ]
}
