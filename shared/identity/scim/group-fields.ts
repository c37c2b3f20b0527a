import { isDisplayName } from '../../base/lib/display-name.ts'
import { badRequest } from './refusal.ts'
import type { Resource } from './resource-type.ts'
import type { ScimGroup } from './stored-group.ts'

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
