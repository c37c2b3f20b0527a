// A function carries an answer of at most 6 MB, which the members of a large group outgrow, or many large users together.
import { refused } from './refusal.ts'
import type { Resource } from './resource-type.ts'

const BYTES_MAX = 5_500_000

const fits = (shown: object): boolean => Buffer.byteLength(JSON.stringify(shown)) <= BYTES_MAX

/** For who reads: with a part of it left out, a group would look empty. Throws 400 tooMany. */
export function mustFit<T extends object>(shown: T): T {
  if (fits(shown)) return shown
  throw refused('tooMany', 'This is too much for one answer; ask for less with count, or excludedAttributes=members.')
}

/** For who has changed a group: what was done is answered, though not with everybody. */
export function fitting(group: Resource): Resource {
  if (fits(group)) return group
  const { members: _, ...rest } = group
  return rest
}
