import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { ssoConfigurations } from '../../shared/identity/sso/settings/configuration.ts'
import { SpView, spView, SsoView, ssoView } from '../../shared/identity/sso/settings/view.ts'
import { sso } from './routes.ts'

/** Before the first configuration there are only the service provider settings. */
const Unconfigured = z.object({
  protocol: z.null().describe('The protocol of single sign-on.'),
  enabled: z.literal(false).describe('Whether it is in force.'),
  sp: SpView.describe('The values to enter at the identity provider.'),
})

export const shapes = { response: z.union([SsoView, Unconfigured]), versioned: true }

export const handler = endpoint(sso.get, shapes, async ({ ctx }) => {
  const { tenant_id } = ctx.space
  const found = await ctx.table.get(ssoConfigurations, { tenant_id })
  return found ? tagged(ssoView(found), found._v) : { protocol: null, enabled: false as const, sp: spView(tenant_id) }
})
