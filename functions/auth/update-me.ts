import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName } from '../../shared/base/wire/fields.ts'
import { Me, meOf } from '../../shared/identity/users/me.ts'
import { renameSelf } from '../../shared/identity/users/rename-self.ts'
import { auth } from './routes.ts'

export const shapes = { body: z.strictObject({ name: displayName(120).describe('A name for people.') }), response: Me }

export const handler = endpoint(auth.updateMe, shapes, async ({ body, ctx }) =>
  meOf(ctx, await renameSelf(ctx, body.name)),
)
