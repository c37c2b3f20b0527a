// One JSON-RPC message of an agent, and the errors that the protocol has for it.
import * as z from 'zod'
import { freeForm } from '../../base/wire/fields.ts'
import { objectAt } from '../../base/wire/json-object.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'

/** Without an `id` it is a notification, which gets no answer. */
export const Message = z.looseObject({
  jsonrpc: z.literal('2.0').describe('The version of JSON-RPC.'),
  id: z
    .union([z.string().max(256), z.int()])
    .optional()
    .describe('The id of the message, which its answer repeats.'),
  method: z.string().max(128).describe('The method of MCP.'),
  params: freeForm.optional().describe('What the method takes. Since revision 2026-07-28, `_meta` says the revision.'),
})
export type Message = z.output<typeof Message>

/** Keys of `_meta`. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

export const metaOf = ({ params }: Pick<Message, 'params'>): JsonObject | undefined => objectAt(params, '_meta')

export const RPC = {
  methodNotFound: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const

/** An error of the protocol itself. `status`: of the HTTP answer. */
export class RpcError extends Error {
  readonly code: number
  readonly status: number
  readonly data: object | undefined

  constructor(code: number, message: string, { status = 200, data }: { status?: number; data?: object } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

export const invalidParams = (message: string): RpcError => new RpcError(RPC.invalidParams, message)
