import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ID } from '../../shared/base/wire/fields.ts'
import { Email } from '../../shared/identity/accounts/password.ts'
import { takeForgotten } from '../../shared/identity/pages/forgotten.ts'
import { WayBack } from '../../shared/identity/access/way-back.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    email: Email,
    tenant: z.string().regex(ID).optional().describe('The tenant.'),
    back: WayBack,
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(auth.submitForgot, shapes, ({ body, ctx }) => takeForgotten(ctx, body))
