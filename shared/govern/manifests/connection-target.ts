// A target that is reached through a connection of the tenant: an operation of the connector's API, never an address.
import * as z from 'zod'

export const ConnectionParameter = z.strictObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: z.enum(['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject']),
  explode: z.boolean(),
})
export type ConnectionParameter = z.output<typeof ConnectionParameter>

export const ConnectionTarget = z.strictObject({
  type: z.literal('connection'),
  connector_id: z.string(),
  /** The host of the connector when it was published, with its port. Absent where each account has a host of its own. */
  host: z.string().optional(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** Below the base address of the connection, with variables in braces. */
  path: z.string(),
  content_type: z.string().optional(),
  params: z.array(ConnectionParameter),
  /** The document of a GraphQL operation, whose variables are the body. */
  graphql: z.string().optional(),
})
export type ConnectionTarget = z.output<typeof ConnectionTarget>
