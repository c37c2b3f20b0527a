import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { CompleteInput, completeAuthorisation } from '../../shared/deliver/integrations/complete-authorisation.ts'
import { Account } from '../../shared/deliver/integrations/connection.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: CompleteInput,
  response: z.object({
    connector_id: z.string().describe('Id of the connector.'),
    status: z.literal('active').describe('The current state.'),
    connection_id: z.string().describe('Id of the connection.'),
    scopes_granted: z.array(z.string()).describe('Scopes that the provider granted.'),
    account: Account.nullable().describe('The account at the provider; null where it does not tell.'),
    connected_at: z.string().describe('When it was connected.'),
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
