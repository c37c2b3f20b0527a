import type { Stored } from '../../base/table/entity.ts'
import { locationOf, metaOf, weakTag } from './meta.ts'
import { GROUP, type Resource, schemasOf, USER } from './resource-type.ts'
import type { ScimGroup, ScimMember } from './stored-group.ts'

export const groupVersion = ({ _v }: { _v: number }): string => weakTag(String(_v))

/** The attributes that a client may write, without the members. */
export const groupAttributes = ({ displayName, externalId }: ScimGroup): Resource => ({
  displayName,
  ...(externalId !== undefined && { externalId }),
})

/** `members`: undefined when the request does not select them. */
export function groupView(group: Stored<ScimGroup>, members: readonly ScimMember[] | undefined): Resource {
  const { id, created_at, updated_at } = group
  return {
    schemas: schemasOf(GROUP, {}),
    id,
    ...groupAttributes(group),
    ...(members && { members: members.map(asMember) }),
    meta: metaOf(GROUP, id, { created: created_at, lastModified: updated_at, version: groupVersion(group) }),
  }
}

const asMember = ({ value, type, display }: ScimMember): Resource => ({
  value,
  $ref: locationOf(type === 'Group' ? GROUP : USER, value),
  type,
  ...(display !== undefined && { display }),
})
