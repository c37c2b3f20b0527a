import { mustFit } from './response-length.ts'
import type { Search } from './search.ts'
import type { Resource } from './resource-type.ts'

const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** One page of `total` resources (RFC 7644, section 3.4.2). Throws 400 tooMany when the page is too large for a response. */
export const listResponse = (
  total: number,
  resources: readonly Resource[],
  { startIndex }: Pick<Search, 'startIndex'>,
) => ({
  schemas: [LIST_RESPONSE],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: [...mustFit(resources)],
})

export type ListResponse = ReturnType<typeof listResponse>
