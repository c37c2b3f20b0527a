import '../first-proof.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { browserOf, showApproval } from '../../shared/people/approval-page/page.ts'
import { returned } from '../../shared/people/approval-page/sign-in.ts'
import { approvals } from './routes.ts'

export const shapes = {
  /** From a sign-in at the organisation's identity provider. */
  query: z.object({ code: z.string().max(128).optional().describe('The code that the provider hands out.') }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(approvals.page, shapes, async ({ params, query: { code }, headers, ctx }) => {
  const asked = { ...params, headers }
  return code === undefined ? showApproval(ctx, asked) : returned(ctx, await browserOf(ctx, asked), code)
})
