// One JSON-RPC message of an agent, the errors that the protocol has for it, and the revision that it speaks. Since 2026-07-28 every
// message says its revision, and headers repeat what intermediaries need; before, a handshake did. Nothing of a handshake is kept here.
import * as z from 'zod'
import { freeForm } from '../../base/wire/fields.ts'
import { maybe } from '../governance/rule-terms.ts'
import { type JsonObject, objectAt, textAt } from '../../base/wire/parse-body.ts'
import type { Headers } from '../../base/wire/rest-event.ts'

/** Without an `id` it is a notification, which gets no answer. */
export const Message = z.looseObject({
  jsonrpc: z.literal('2.0').describe('The version of JSON-RPC.'),
  id: z
    .union([z.string().max(256), z.int()])
    .optional()
    .describe('The id of the message, which its answer repeats.'),
  method: z.string().max(128).describe('The method of MCP.'),
  params: maybe(freeForm).describe('What the method takes. Since revision 2026-07-28, `_meta` says the revision.'),
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

export const MODERN = ['2026-07-28'] as const
/** 2025-03-26 is not among them: its servers must take lists of messages, and a message here stands alone. */
export const LEGACY = ['2025-11-25', '2025-06-18'] as const

/** Newest first. */
export const SUPPORTED: readonly string[] = [...MODERN, ...LEGACY]

export type Era = 'modern' | 'legacy'

const isModern = (version: string) => MODERN.some((one) => one === version)

/** Throws the protocol's error for a message whose headers and body differ, or whose revision the service does not speak. */
export function eraOf(message: Message, headers: Headers): Era {
  const sent = headers['mcp-protocol-version']
  const named = metaOf(message)?.[META.version]
  if (named === undefined) return legacyUnder(sent)
  if (typeof named !== 'string') throw badRequest(RPC.invalidParams, `${META.version} must be a text`)
  if (sent !== undefined && sent !== named) throw mismatch('MCP-Protocol-Version')
  if (!isModern(named)) throw unsupported(named)
  if (message.id === undefined) return 'modern' // headers are demanded of requests alone
  if (sent === undefined) throw mismatch('MCP-Protocol-Version')
  if (headers['mcp-method'] !== message.method) throw mismatch('Mcp-Method')
  const name = nameOf(message)
  if (name !== undefined && decoded(headers['mcp-name']) !== name) throw mismatch('Mcp-Name')
  return 'modern'
}

/** The first message of a former revision has no header. */
function legacyUnder(sent: string | undefined): Era {
  if (sent === undefined || LEGACY.some((one) => one === sent)) return 'legacy'
  if (isModern(sent)) throw badRequest(RPC.invalidParams, `_meta must hold ${META.version}`)
  throw unsupported(sent)
}

const badRequest = (code: number, message: string, data?: object) =>
  new RpcError(code, message, { status: 400, ...(data && { data }) })

const mismatch = (header: string) =>
  badRequest(RPC.headerMismatch, `The header ${header} is missing or differs from the message`)

const unsupported = (requested: string) =>
  badRequest(RPC.unsupportedVersion, 'Unsupported protocol version', { supported: SUPPORTED, requested })

/** What `Mcp-Name` repeats. */
function nameOf({ method, params }: Message): string | undefined {
  if (method === 'tools/call') return textAt(params, 'name')
  return method.startsWith('tasks/') ? textAt(params, 'taskId') : undefined
}

const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** A name that no header can carry as it is comes as base64 of its UTF-8. */
function decoded(header: string | undefined): string | undefined {
  const encoded = header === undefined ? undefined : BASE64.exec(header)?.[1]
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString()
}

/** The revision that a handshake agrees on. */
export const agreedVersion = (asked: string | undefined): string =>
  LEGACY.find((version) => version === asked) ?? LEGACY[0]
