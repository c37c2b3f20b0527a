// The two types of resources, their schemas, and the metadata of a resource. The documents follow RFC 7643, section 8.7; `primary` of
// addresses, `display` of members and the required name of groups follow sections 2.4, 4.2 and 8.
import { type Attribute, COMMON_ATTRIBUTES, namedAttribute } from './filter/attribute.ts'
import enterpriseUser from './schemas/enterprise-user.json' with { type: 'json' }
import group from './schemas/group.json' with { type: 'json' }
import user from './schemas/user.json' with { type: 'json' }
import { env } from '../../base/lib/runtime.ts'
import { Failure } from '../../base/lib/failure.ts'

export type Schema = { id: string; name: string; description: string; attributes: Attribute[] }

export type ResourceType = {
  name: 'User' | 'Group'
  endpoint: '/Users' | '/Groups'
  description: string
  schema: Schema
  extension?: Schema
}

const USER_SCHEMA = user as Schema
const GROUP_SCHEMA = group as Schema
const ENTERPRISE_USER_SCHEMA = enterpriseUser as Schema

export const SCHEMAS: readonly Schema[] = [USER_SCHEMA, GROUP_SCHEMA, ENTERPRISE_USER_SCHEMA]

export const USER: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'User Account',
  schema: USER_SCHEMA,
  extension: ENTERPRISE_USER_SCHEMA,
}

export const GROUP: ResourceType = { name: 'Group', endpoint: '/Groups', description: 'Group', schema: GROUP_SCHEMA }

export const RESOURCE_TYPES: readonly ResourceType[] = [USER, GROUP]

/** A resource as JSON with names in the case of the schema. The attributes of an extension are in a member named by its URN. */
export type Resource = Record<string, unknown>

export const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An attribute of the type or a common one, but not of an extension. */
export const coreAttribute = ({ schema }: ResourceType, name: string): Attribute | undefined =>
  namedAttribute(schema.attributes, name) ?? namedAttribute(COMMON_ATTRIBUTES, name)

/** The URNs of the schemas that a resource uses. */
export const schemasOf = ({ schema, extension }: ResourceType, resource: Resource): string[] => [
  schema.id,
  ...(extension && extension.id in resource ? [extension.id] : []),
]

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

/** Throws 412 when `ifMatch` names another version (RFC 7644, section 3.14). */
export function mustMatch(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || namesVersion(ifMatch, version)) return
  throw new Failure(
    'precondition',
    'The resource has changed since the version in If-Match. Read it again and repeat your change.',
  )
}
