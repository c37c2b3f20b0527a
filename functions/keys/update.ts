import * as z from 'zod'
import { KeyView, keyView } from '../../shared/identity/access/key-view.ts'
import { renameKey } from '../../shared/identity/access/rotate-key.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName } from '../../shared/base/wire/fields.ts'
import { keys } from './routes.ts'

export const shapes = {
  body: z.strictObject({ name: displayName(80).describe('A name for people.') }),
  response: KeyView,
}

export const handler = endpoint(keys.update, shapes, async ({ params, body, ctx }) =>
  keyView(await renameKey(ctx, { id: params.id, name: body.name }), ctx.now()),
)
