// Look-up rows: they lead from the value of an attribute to the resources that have it. Directories search for a resource
// before they create it, so that search must not be a scan.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { sha256 } from '../../base/lib/hash.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { comparable } from './attribute.ts'
import { coreAttribute, GROUP, type Resource, type ResourceType, USER } from './resource-type.ts'

const KEYED = ['userName', 'externalId', 'displayName', 'groupExternalId'] as const
/** The attributes that have rows; `groupExternalId` is the externalId of groups. */
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
export const scimKeys = entity({
  name: 'SCIMKEY',
  schema: ScimKey,
  key: (of: Space & Pick<ScimKey, 'attribute' | 'hash' | 'id'>) => ({
    pk: keyPartition(of),
    sk: of.attribute === 'userName' ? 'U' : of.id,
  }),
})

/** The attributes with look-up rows → the name of their rows. */
const ROWS: Record<ResourceType['name'], Record<string, KeyedAttribute>> = {
  User: { userName: 'userName', externalId: 'externalId' },
  Group: { displayName: 'displayName', externalId: 'groupExternalId' },
}

export const keyedAttribute = (type: ResourceType, name: string): KeyedAttribute | undefined => ROWS[type.name][name]

/** Equal for values that the schema treats as equal. */
export function keyHash(attribute: KeyedAttribute, value: string): string {
  const type = attribute === 'userName' || attribute === 'externalId' ? USER : GROUP
  const described = coreAttribute(type, attribute === 'groupExternalId' ? 'externalId' : attribute)
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
  return Object.entries(ROWS[type.name]).flatMap(([name, attribute]) => {
    const value = resource[name]
    const isShared = attribute !== 'userName' && typeof value === 'string' && value !== ''
    return isShared ? [keyRow(space, attribute, value, id)] : []
  })
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
