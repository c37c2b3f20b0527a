import { endpoint } from '../../shared/edge/endpoint.ts'
import { refresh, refreshShapes } from '../../shared/identity/sessions/refresh.ts'
import { auth } from './routes.ts'

export const shapes = refreshShapes

export const handler = endpoint(auth.refresh, shapes, ({ body, ctx }) => refresh(ctx, body.refresh_token))
