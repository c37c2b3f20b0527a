import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { logout } from '../../shared/identity/sign-in/logout.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({}),
  response: z.object({
    status: z.literal('signed_out').describe('The current state.'),
    /** Where the browser goes to sign out of the identity provider, too. */
    slo_url: z.string().optional().describe('The address of the next step of single logout.'),
  }),
}

export const handler = endpoint(auth.logout, shapes, ({ ctx }) => logout(ctx))
