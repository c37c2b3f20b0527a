// Answers of operations in the dialect of SCIM (RFC 7644, sections 3.1 and 3.12).
import type { JsonSchema } from './json-schema.ts'

export const SCIM_JSON = 'application/scim+json'

const ERROR: JsonSchema = {
  type: 'object',
  required: ['schemas', 'status', 'detail'],
  properties: {
    schemas: { type: 'array', items: { const: 'urn:ietf:params:scim:api:messages:2.0:Error' } },
    status: { type: 'string' },
    scimType: { type: 'string' },
    detail: { type: 'string' },
  },
}

export const scimRefusal = (headers: JsonSchema) => ({
  description: 'Refused with a SCIM error.',
  headers,
  content: { [SCIM_JSON]: { schema: ERROR } },
})
