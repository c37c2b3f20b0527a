import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { ssoConfigurations } from '../../shared/identity/sso/settings/configuration.ts'
import { metadataOf } from '../../shared/identity/sso/saml/messages.ts'
import { sso } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'application/samlmetadata+xml' }) }

export const handler = endpoint(sso.metadata, shapes, async ({ params, ctx }) => {
  const found = await ctx.table.get(ssoConfigurations, { tenant_id: params.tenant })
  if (!found) throw notFound('tenant')
  const { tenant_id, saml, sp } = found
  const isEncrypted = saml !== undefined && saml.assertion_encryption !== 'off'
  const encryption = isEncrypted ? sp.encryption?.[0]?.certificate : undefined
  const metadata = metadataOf({ tenant_id, certificate: sp.certificate, encryption })
  return httpResponse(200, metadata, { 'Content-Type': 'application/samlmetadata+xml' })
})
