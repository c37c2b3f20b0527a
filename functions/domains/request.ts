import * as z from 'zod'
import { requestVerification } from '../../shared/domains/request.ts'
import { verificationOf, VerificationView } from '../../shared/domains/view.ts'
import { answer, unchanged } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { domains } from './routes.ts'

export const shapes = { body: z.strictObject({ domain: z.string().max(1_024) }), reply: VerificationView }

export const handler = endpoint(domains.request, shapes, async ({ body, ctx }) => {
  const { asked, status, repeated } = await requestVerification(ctx, body.domain)
  const reply = verificationOf(asked, status)
  return repeated ? unchanged(reply) : answer(200, reply)
})
