import { badRequest } from './refusal.ts'
import type { Resource } from './resource-type.ts'
import type { ScimGroup } from './stored-group.ts'

const LENGTH_MAX = 1_000

/** The stored fields of a normalised group, without its members. Throws 400 for a text that is too long. */
export const fieldsOf = ({ displayName, externalId }: Resource): Pick<ScimGroup, 'displayName' | 'externalId'> => ({
  displayName: short('displayName', String(displayName)),
  ...(typeof externalId === 'string' && { externalId: short('externalId', externalId) }),
})

export function short(name: string, text: string): string {
  if (text.length > LENGTH_MAX)
    throw badRequest('invalidValue', `${name} is too long. Use at most ${LENGTH_MAX} characters.`)
  return text
}
