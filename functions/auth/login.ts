import { endpoint } from '../../shared/http/endpoint.ts'
import { login, loginShapes } from '../../shared/sessions/login.ts'
import { auth } from './routes.ts'

export const shapes = loginShapes

export const handler = endpoint(auth.login, shapes, ({ body, ctx }) => login(ctx, body))
