// The discovery resources: configuration, resource types and schemas (RFC 7643, sections 5 to 7; RFC 7644, section 4).
import { Failure, forbidden, notFound } from '../../base/lib/failure.ts'
import { listResponse, type ListResponse } from './messages.ts'
import { type Resource, RESOURCE_TYPES, type ResourceType, type Schema, SCHEMAS, scimUrl } from './resource-type.ts'
import { SCIM_RESULTS_MAX } from '../../base/limits/published.ts'

const URN = 'urn:ietf:params:scim:schemas:core:2.0'

export const serviceProviderConfig = (): Resource => ({
  schemas: [`${URN}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: SCIM_RESULTS_MAX },
  changePassword: { supported: true },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key with the scope scim or admin, as a bearer token.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: scimUrl('/ServiceProviderConfig') },
})

/** Throws 403: a filter on a discovery resource must be refused, not ignored (RFC 7644, section 4). */
export function mustNotFilter({ filter }: { filter?: unknown }): void {
  if (filter !== undefined) throw forbidden('You cannot filter discovery resources. Leave the filter out.')
}

const completeList = (resources: Resource[]): ListResponse =>
  listResponse(resources.length, resources, { startIndex: 1 })

const resourceTypeView = ({ name, endpoint, description, schema, extension }: ResourceType): Resource => ({
  schemas: [`${URN}:ResourceType`],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  ...(extension && { schemaExtensions: [{ schema: extension.id, required: false }] }),
  meta: { resourceType: 'ResourceType', location: scimUrl(`/ResourceTypes/${name}`) },
})

export const listResourceTypes = (): ListResponse => completeList(RESOURCE_TYPES.map(resourceTypeView))

export function findResourceType(id: string): Resource {
  const found = RESOURCE_TYPES.find(({ name }) => name === id)
  if (!found) throw notFound('resource type')
  return resourceTypeView(found)
}

const schemaView = (schema: Schema): Resource => ({
  ...schema,
  meta: { resourceType: 'Schema', location: scimUrl(`/Schemas/${schema.id}`) },
})

export const listSchemas = (): ListResponse => completeList(SCHEMAS.map(schemaView))

/** URNs are compared without regard to case. */
export function findSchema(id: string): Resource {
  const found = SCHEMAS.find((schema) => schema.id.toLowerCase() === id.toLowerCase())
  if (!found) throw notFound('schema')
  return schemaView(found)
}

const notImplemented = (detail: string) => async (): Promise<never> => {
  throw new Failure('not_implemented', detail)
}

export const noBulk = notImplemented('Bulk operations are not supported. Send each operation as its own request.')
export const noMe = notImplemented(
  '/Me is not supported, because an API key belongs to no directory user. Use /Users/{id}.',
)
