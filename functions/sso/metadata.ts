import * as z from 'zod'
import { answer } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { notFound } from '../../shared/lib/failure.ts'
import { ssoConfigurations } from '../../shared/sso/configuration.ts'
import { metadataOf } from '../../shared/sso/saml-messages.ts'
import { sso } from './routes.ts'

export const shapes = { reply: z.string().meta({ contentMediaType: 'application/samlmetadata+xml' }) }

export const handler = endpoint(sso.metadata, shapes, async ({ params, ctx }) => {
  const found = await ctx.table.get(ssoConfigurations, { tenant_id: params.tenant })
  if (!found) throw notFound('tenant')
  const metadata = metadataOf({ tenant_id: found.tenant_id, certificate: found.sp.certificate })
  return answer(200, metadata, { 'Content-Type': 'application/samlmetadata+xml' })
})
