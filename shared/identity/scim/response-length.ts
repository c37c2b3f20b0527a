// Limits the size of responses. A Lambda function returns at most 6 MB, and a large group or many large users can exceed that.
import { badRequest } from './refusal.ts'
import type { Resource } from './resource-type.ts'

const BYTES_MAX = 5_500_000

const fits = (body: object): boolean => Buffer.byteLength(JSON.stringify(body)) <= BYTES_MAX

/** For reads. Throws 400 tooMany, because a group without its members would look empty. */
export function mustFit<T extends object>(body: T): T {
  if (fits(body)) return body
  throw badRequest('tooMany', 'The response would be too large. Ask for less with count or excludedAttributes=members.')
}

/** For changes of a group: leaves the members out when they do not fit, because the change has been made already. */
export function withoutMembersIfTooLarge(group: Resource): Resource {
  if (fits(group)) return group
  const { members: _, ...rest } = group
  return rest
}
