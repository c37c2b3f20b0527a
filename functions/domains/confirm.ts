import * as z from 'zod'
import { confirmDomain } from '../../shared/identity/domains/confirm.ts'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { domains } from './routes.ts'

export const shapes = {
  body: z.strictObject({ domain: z.string().max(1_024).describe('The domain of e-mail addresses.') }),
  response: z.object({
    domain: z.string().describe('The domain of e-mail addresses.'),
    verified: z.boolean().describe('Whether it was confirmed.'),
    verified_at: z.string().nullable().describe('When it was confirmed.'),
    reason: z
      .enum(['not_found', 'mismatch', 'expired', 'dns_error'])
      .optional()
      .describe('Why the domain is not verified.'),
  }),
}

/** 200 also without a matching record; `reason` then says why. */
export const handler = endpoint(domains.confirm, shapes, async ({ body, ctx }) => {
  const { changed, ...view } = await confirmDomain(ctx, body.domain)
  return changed ? httpResponse(200, view) : unchanged(view)
})
