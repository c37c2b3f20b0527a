import { refused } from './refusal.ts'
import type { Resource } from './resource-type.ts'
import type { ScimGroup } from './stored-group.ts'

const LENGTH_MAX = 1_000

/** A normalised resource, the members apart, as it is stored. Throws 400 for texts of any length. */
export const fieldsOf = ({ displayName, externalId }: Resource): Pick<ScimGroup, 'displayName' | 'externalId'> => ({
  displayName: short('displayName', String(displayName)),
  ...(typeof externalId === 'string' && { externalId: short('externalId', externalId) }),
})

export function short(name: string, text: string): string {
  if (text.length > LENGTH_MAX) throw refused('invalidValue', `${name} has at most ${LENGTH_MAX} characters.`)
  return text
}
