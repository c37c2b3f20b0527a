// HTTP responses in the media type of SCIM.
import { HttpResponse } from '../../base/wire/call.ts'
import { SCIM_MEDIA_TYPE } from './error-body.ts'
import type { Resource, ResourceType } from './resource-type.ts'
import { select, type Selection } from './select.ts'

const TYPE = { 'Content-Type': SCIM_MEDIA_TYPE }

export const scimResponse = (body: object): HttpResponse => new HttpResponse(200, body, { headers: TYPE })

type ResponseOptions = { selection?: Selection; status?: 200 | 201; unchanged?: boolean }

/** A resource with its ETag; a new one also with its Location. */
export function resourceResponse(
  type: ResourceType,
  resource: Resource,
  { selection = {}, status = 200, unchanged = false }: ResponseOptions,
): HttpResponse {
  const { version, location } = resource.meta as { version: string; location: string } // every view has them
  const headers = { ...TYPE, ETag: version, ...(status === 201 && { Location: location }) }
  return new HttpResponse(status, select(type, selection, resource), { headers, unchanged })
}
