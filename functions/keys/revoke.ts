import '../effects.ts'
import * as z from 'zod'
import { KeyView, keyView } from '../../shared/identity/access/key-view.ts'
import { revokeKey } from '../../shared/people/credentials/revoke-key.ts'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { keys } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: KeyView }

export const handler = endpoint(keys.revoke, shapes, async ({ params, ctx }) => {
  const { key, repeated } = await revokeKey(ctx, params.id)
  const body = keyView(key, ctx.now())
  return repeated ? unchanged(body) : httpResponse(200, body)
})
