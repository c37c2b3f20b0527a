// Answers in SCIM's media type.
import { Answer } from '../../base/wire/call.ts'
import { SCIM_MEDIA_TYPE } from './error-body.ts'
import type { Resource, ResourceType } from './resource-type.ts'
import { selected, type Selection } from './select.ts'

const TYPE = { 'Content-Type': SCIM_MEDIA_TYPE }

export const scimAnswer = (body: object): Answer => new Answer(200, body, { headers: TYPE })

type Shown = { selection?: Selection; status?: 200 | 201; unchanged?: boolean }

/** A resource with the tag of its version; a new one with its place. */
export function resourceAnswer(
  type: ResourceType,
  resource: Resource,
  { selection = {}, status = 200, unchanged = false }: Shown,
): Answer {
  const { version, location } = resource.meta as { version: string; location: string } // every view has them
  const headers = { ...TYPE, ETag: version, ...(status === 201 && { Location: location }) }
  return new Answer(status, selected(type, selection, resource), { headers, unchanged })
}
