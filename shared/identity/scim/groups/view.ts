// A group in the form of SCIM, and the fields that are stored of it.
import type { Stored } from '../../../base/table/entity.ts'
import { GROUP, locationOf, metaOf, type Resource, schemasOf, USER, weakTag } from '../resource-type.ts'
import type { ScimGroup, ScimMember } from './stored-group.ts'
import { isDisplayName } from '../../../base/lib/names.ts'
import { badRequest } from '../refusal.ts'

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

const LENGTH_MAX = 1_000

type Fields = Pick<ScimGroup, 'displayName' | 'externalId'>

/**
 * The stored fields of a normalised group, without its members. Throws 400 for a text that is too long, and for a new name that cannot
 * be seen as it is: it is not cleaned, since by another name the group might give roles.
 */
export function fieldsOf({ displayName, externalId }: Resource, was?: Fields): Fields {
  const name = short('displayName', String(displayName))
  if (name !== was?.displayName && !isDisplayName(name))
    throw badRequest('invalidValue', 'displayName must consist of visible characters.')
  return {
    displayName: name,
    ...(typeof externalId === 'string' && { externalId: short('externalId', externalId) }),
  }
}

export function short(name: string, text: string): string {
  if (text.length > LENGTH_MAX)
    throw badRequest('invalidValue', `${name} is too long. Use at most ${LENGTH_MAX} characters.`)
  return text
}
