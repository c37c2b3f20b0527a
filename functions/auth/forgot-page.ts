import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ID } from '../../shared/base/wire/fields.ts'
import { showForgotten } from '../../shared/identity/pages/forgotten.ts'
import { WayBack } from '../../shared/identity/access/way-back.ts'
import { auth } from './routes.ts'

export const shapes = {
  query: z.object({
    tenant: z.string().regex(ID).optional().describe('The id of the tenant.'),
    back: WayBack,
    seen: z
      .string()
      .max(64)
      .default('')
      .describe('Of the link on a sign-in page: that the person has seen the organisation there.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(auth.forgotPage, shapes, ({ query, ctx }) => showForgotten(ctx, query))
