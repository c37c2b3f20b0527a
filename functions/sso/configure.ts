import { endpoint } from '../../shared/http/endpoint.ts'
import { configureSso } from '../../shared/sso/configure.ts'
import { SsoFields } from '../../shared/sso/fields.ts'
import { SsoView, ssoView } from '../../shared/sso/view.ts'
import { sso } from './routes.ts'

export const shapes = { body: SsoFields, reply: SsoView }

export const handler = endpoint(sso.configure, shapes, async ({ body, ctx }) => ssoView(await configureSso(ctx, body)))
