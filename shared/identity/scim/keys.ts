// Rows that lead from a value to the resources that have it, so that "look first, then create" costs a look-up.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { sha256 } from '../../base/lib/hash.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { comparable } from './attribute.ts'
import { coreAttribute, GROUP, type Resource, type ResourceType, USER } from './resource-type.ts'

const KEYED = ['userName', 'externalId', 'displayName', 'groupExternalId'] as const
/** The attributes that have rows; `groupExternalId` is the externalId of groups. */
export type KeyedAttribute = (typeof KEYED)[number]

const ScimKey = z.object({
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  attribute: z.enum(KEYED),
  hash: z.string(),
  id: z.string(),
})
export type ScimKey = z.output<typeof ScimKey>

export const keyPartition = (of: Space & Pick<ScimKey, 'attribute' | 'hash'>): string =>
  spaceKey(of, 'SCIMKEY', of.attribute, of.hash)

/** A user name has one row, which makes it unique; other values may be those of several resources. */
export const scimKeys = entity({
  name: 'SCIMKEY',
  schema: ScimKey,
  key: (of: Space & Pick<ScimKey, 'attribute' | 'hash' | 'id'>) => ({
    pk: keyPartition(of),
    sk: of.attribute === 'userName' ? 'U' : of.id,
  }),
})

/** Attribute of a type → what its rows are called. */
const ROWS: Record<ResourceType['name'], Record<string, KeyedAttribute>> = {
  User: { userName: 'userName', externalId: 'externalId' },
  Group: { displayName: 'displayName', externalId: 'groupExternalId' },
}

export const keyedAttribute = (type: ResourceType, name: string): KeyedAttribute | undefined => ROWS[type.name][name]

/** Equal for values that count as the same. */
export function keyHash(attribute: KeyedAttribute, value: string): string {
  const type = attribute === 'userName' || attribute === 'externalId' ? USER : GROUP
  const described = coreAttribute(type, attribute === 'groupExternalId' ? 'externalId' : attribute)
  return sha256(described ? comparable(described, value) : value).toString('base64url')
}

/** The row that a resource of this id has for a value. */
export const keyRow = ({ tenant_id, mode }: Space, attribute: KeyedAttribute, value: string, id: string): ScimKey => ({
  tenant_id,
  mode,
  attribute,
  hash: keyHash(attribute, value),
  id,
})

/** The rows of a resource, the one of its user name apart: that one is claimed. */
function rowsOf(space: Space, type: ResourceType, id: string, resource: Resource): ScimKey[] {
  return Object.entries(ROWS[type.name]).flatMap(([name, attribute]) => {
    const value = resource[name]
    const isShared = attribute !== 'userName' && typeof value === 'string' && value !== ''
    return isShared ? [keyRow(space, attribute, value, id)] : []
  })
}

/** What turns the rows of a resource as it was into those of what it becomes. */
export function keyWrites(space: Space, type: ResourceType, id: string, was: Resource, next: Resource): Write[] {
  const [former, present] = [rowsOf(space, type, id, was), rowsOf(space, type, id, next)]
  const lacks = (rows: readonly ScimKey[], row: ScimKey) => !rows.some((one) => keyPartition(one) === keyPartition(row))
  return [
    ...former.filter((row) => lacks(present, row)).map((row) => scimKeys.remove(row)),
    ...present.filter((row) => lacks(former, row)).map((row) => scimKeys.insert(row)),
  ]
}
