import '../effects.ts'
import * as z from 'zod'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { REVOCABLE, revokeCredentials } from '../../shared/people/credentials/revoke-credentials.ts'
import { users } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    kinds: z.array(z.enum(REVOCABLE)).min(1).max(REVOCABLE.length).describe('The kinds of credentials to revoke.'),
    ids: optional(z.array(z.string().min(1).max(100)).min(1).max(200)).describe('Only items with one of these ids.'),
  }),
  response: z.object({
    user_id: z.string().describe('Id of the person.'),
    revoked: z.partialRecord(z.enum(REVOCABLE), z.int()).describe('The number of revoked credentials of each kind.'),
  }),
}

export const handler = endpoint(users.revokeCredentials, shapes, async ({ params, body, ctx }) => {
  const revoked = await revokeCredentials(ctx, { id: params.id, ...body })
  const unchanged = Object.values(revoked).every((count) => count === 0)
  return new HttpResponse(200, { user_id: params.id, revoked }, { unchanged })
})
