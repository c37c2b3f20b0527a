// A target that is reached through a connection of the tenant: an operation of the connector's API, never an address.
import * as z from 'zod'

export const ConnectionParameter = z.strictObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: z.enum(['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json']),
  explode: z.boolean(),
  /** Characters that are reserved in a URL stay as they are, but for those that would begin another value. */
  reserved: z.literal(true).optional(),
})
export type ConnectionParameter = z.output<typeof ConnectionParameter>

const FormPart = z.strictObject({
  style: z.enum(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json', 'text']),
  explode: z.boolean(),
  reserved: z.literal(true).optional(),
})
export type FormPart = z.output<typeof FormPart>

export const ConnectionTarget = z.strictObject({
  type: z.literal('connection'),
  connector_id: z.string(),
  /** The host of the connector when it was published, with its port. Absent where each account has a host of its own. */
  host: z.string().optional(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** Below the base address of the connection, with variables in braces. */
  path: z.string(),
  content_type: z.string().optional(),
  /** How members of a form are written. Absent from what was published before forms followed OpenAPI: then as `a[b][0]=x`. */
  encoding: z.record(z.string(), FormPart).optional(),
  params: z.array(ConnectionParameter),
  /** The document of a GraphQL operation, whose variables are the body. */
  graphql: z.string().optional(),
})
export type ConnectionTarget = z.output<typeof ConnectionTarget>

/** Headers that the service sets itself, or that belong to the connection of the call (RFC 9110, 7.6.1). */
export const OWN_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|webhook-.*|x-webhook-.*|x-service-.*|idempotency-key|traceparent|tracestate)$/i

/** What a tenant may set once for a target, and a payload may not choose. */
const CREDENTIALS =
  /^(?:authorization|cookie|user-agent|accept-encoding|forwarded|x-forwarded-.*|x-http-method.*|x-method-override)$/i

export const isChosenByPayload = (header: string): boolean => !OWN_HEADERS.test(header) && !CREDENTIALS.test(header)
