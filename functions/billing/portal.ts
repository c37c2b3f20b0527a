import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { openPortal } from '../../shared/operate/billing/open-portal.ts'
import { billing } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    return_url: z
      .string()
      .max(2_048)
      .describe('Where a person comes back to: on a verified domain, the application host or localhost.'),
  }),
  response: z.object({ portal_url: z.string().describe('The page to open in a browser.') }),
}

export const handler = endpoint(billing.portal, shapes, async ({ body, ctx }) => ({
  portal_url: await openPortal(ctx, body.return_url),
}))
