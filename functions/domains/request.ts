import * as z from 'zod'
import { requestVerification } from '../../shared/identity/domains/request.ts'
import { verificationOf, VerificationView } from '../../shared/identity/domains/view.ts'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { domains } from './routes.ts'

export const shapes = {
  body: z.strictObject({ domain: z.string().max(1_024).describe('The domain of e-mail addresses.') }),
  response: VerificationView,
}

export const handler = endpoint(domains.request, shapes, async ({ body, ctx }) => {
  const { tenantDomain, status, repeated } = await requestVerification(ctx, body.domain)
  const view = verificationOf(tenantDomain, status)
  return repeated ? unchanged(view) : httpResponse(200, view)
})
