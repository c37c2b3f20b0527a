// Refusals of operations that speak JSON-RPC 2.0 (the Model Context Protocol).
import { header } from './headers.ts'
import type { JsonSchema } from './json-schema.ts'

const ERROR: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'id', 'error'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: { type: 'object', additionalProperties: true },
      },
    },
  },
}

/** What the gateway refuses before the function sees it, has the body of all other operations. */
const NO_CREDENTIAL = {
  description:
    'The credential is missing, expired or for something else. The gateway answers this itself, so `WWW-Authenticate` has its own name and leads to a token (RFC 9728). A credential that only the function can judge gets a JSON-RPC error, and the header arrives as `x-amzn-Remapped-WWW-Authenticate`.',
  schema: { anyOf: [{ $ref: '#/components/schemas/Problem' }, ERROR] },
}

const REFUSED = { description: 'Refused with a JSON-RPC error.', schema: ERROR }

export function mcpRefusal(headers: JsonSchema, status: number): object {
  const { description, schema } = status === 401 ? NO_CREDENTIAL : REFUSED
  return {
    description,
    headers: { ...headers, ...(status === 401 && { 'WWW-Authenticate': header('WWW-Authenticate') }) },
    content: { 'application/json': { schema } },
  }
}
