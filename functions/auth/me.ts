import { endpoint } from '../../shared/edge/endpoint.ts'
import { Me, meOf } from '../../shared/identity/users/me.ts'
import { ownUser } from '../../shared/identity/accounts/find.ts'
import { auth } from './routes.ts'

export const shapes = { response: Me }

export const handler = endpoint(auth.me, shapes, async ({ ctx }) => meOf(ctx, await ownUser(ctx)))
