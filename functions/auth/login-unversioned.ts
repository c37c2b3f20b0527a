import { endpoint } from '../../shared/edge/endpoint.ts'
import { login, loginShapes } from '../../shared/identity/sign-in/password-sign-in.ts'
import { auth } from './routes.ts'

export const shapes = loginShapes

export const handler = endpoint(auth.loginUnversioned, shapes, ({ body, ctx }) => login(ctx, body))
