// Refusals of operations that speak JSON-RPC 2.0 (the Model Context Protocol).
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

export const mcpRefusal = (headers: JsonSchema) => ({
  description: 'Refused with a JSON-RPC error.',
  headers,
  content: { 'application/json': { schema: ERROR } },
})
