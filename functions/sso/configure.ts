import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { configureSso } from '../../shared/identity/sso/settings/configure.ts'
import { SsoFields } from '../../shared/identity/sso/settings/fields.ts'
import { SsoView, ssoView } from '../../shared/identity/sso/settings/view.ts'
import { sso } from './routes.ts'

export const shapes = {
  body: SsoFields.extend({
    version: optional(z.int().positive()).describe(
      'The version that you want to change. Any other version is answered 409.',
    ),
  }),
  response: SsoView,
  versioned: true,
}

export const handler = endpoint(sso.configure, shapes, async ({ body: { version: _, ...fields }, version, ctx }) => {
  const configuration = await configureSso(ctx, fields, version)
  return tagged(ssoView(configuration), configuration._v)
})
