import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { optional } from '../../shared/http/fields.ts'
import { configureSso } from '../../shared/sso/configure.ts'
import { SsoFields } from '../../shared/sso/fields.ts'
import { SsoView, ssoView } from '../../shared/sso/view.ts'
import { sso } from './routes.ts'

export const shapes = {
  body: SsoFields.extend({ version: optional(z.int().positive()) }),
  reply: SsoView,
  versioned: true,
}

export const handler = endpoint(sso.configure, shapes, async ({ body: { version: _, ...fields }, version, ctx }) => {
  const configuration = await configureSso(ctx, fields, version)
  return tagged(ssoView(configuration), configuration._v)
})
