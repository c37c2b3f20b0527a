// The metadata of a resource, and conditions on its version (RFC 7644, section 3.14).
import { env } from '../../base/lib/env.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Resource, ResourceType } from './resource-type.ts'

export const scimUrl = (path: string): string => `${env('APP_URL')}/api/scim/v2${path}`

export const locationOf = ({ endpoint }: ResourceType, id: string): string => scimUrl(`${endpoint}/${id}`)

type Facts = { created: string; lastModified: string; version: string }

export const metaOf = (type: ResourceType, id: string, facts: Facts): Resource => ({
  resourceType: type.name,
  ...facts,
  location: locationOf(type, id),
})

export const weakTag = (version: string): string => `W/"${version}"`

/** Whether a header with a list of tags, or `*`, names a version. The tags are weak, so they are compared weakly. */
export function namesVersion(header: string, version: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(version))
}

/** Throws 412 when `ifMatch` names another version. */
export function mustMatch(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || namesVersion(ifMatch, version)) return
  throw new Failure(
    'precondition',
    'The resource has changed since the version in If-Match. Read it again and repeat your change.',
  )
}
