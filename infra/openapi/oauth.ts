// Refusals of operations in the dialect of OAuth (RFC 6749, section 5.2).
import type { JsonSchema } from './json-schema.ts'

const ERROR: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

export const oauthRefusal = (headers: JsonSchema) => ({
  description: 'Refused with an OAuth error, or with a page if the client is a browser.',
  headers,
  content: { 'application/json': { schema: ERROR } },
})
