// The groups that an identity provider names: the values of one attribute or claim. Pure.
import type { Values } from './person-name.ts'

const GROUP_MAX = 256

/** A claim is a list of texts, or one text. Other values name no group. */
export const groupsOf = (claim: unknown): string[] => {
  const all: unknown[] = Array.isArray(claim) ? claim : [claim]
  return [...new Set(all.flatMap((one) => (typeof one === 'string' ? [one.trim()] : [])))].filter(
    (group) => group !== '' && group.length <= GROUP_MAX,
  )
}

/** The values of the attribute in an assertion; none when no attribute is configured. */
export const groupsIn = (attribute: string | undefined, attributes: Values): string[] =>
  attribute === undefined ? [] : groupsOf(attributes.get(attribute))
