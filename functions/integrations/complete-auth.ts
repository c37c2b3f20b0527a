import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { CompleteInput, completeAuthorisation } from '../../shared/deliver/integrations/complete-authorisation.ts'
import { Account } from '../../shared/deliver/integrations/connection.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: CompleteInput,
  response: z.object({
    connector_id: z.string(),
    status: z.literal('active'),
    connection_id: z.string(),
    scopes_granted: z.array(z.string()),
    account: Account.nullable(),
    connected_at: z.string(),
  }),
}

export const handler = endpoint(integrations.completeAuth, shapes, async ({ params, body, ctx }) => {
  const { connection, repeated } = await completeAuthorisation(ctx, params.id, body)
  const { connector_id, id, scopes_granted, account, connected_at = '' } = connection
  const answer = {
    connector_id,
    status: 'active' as const,
    connection_id: id,
    scopes_granted,
    account: account ?? null,
    connected_at,
  }
  return repeated ? unchanged(answer) : answer
})
