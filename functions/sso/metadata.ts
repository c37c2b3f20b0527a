import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { ssoConfigurations } from '../../shared/identity/sso/configuration.ts'
import { metadataOf } from '../../shared/identity/sso/saml-messages.ts'
import { sso } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'application/samlmetadata+xml' }) }

export const handler = endpoint(sso.metadata, shapes, async ({ params, ctx }) => {
  const found = await ctx.table.get(ssoConfigurations, { tenant_id: params.tenant })
  if (!found) throw notFound('tenant')
  const metadata = metadataOf({ tenant_id: found.tenant_id, certificate: found.sp.certificate })
  return httpResponse(200, metadata, { 'Content-Type': 'application/samlmetadata+xml' })
})
