import * as z from 'zod'
import { unchanged, type HttpResponse } from '../../base/wire/call.ts'
import type { Context } from '../../base/context.ts'
import { id, optional } from '../../base/wire/fields.ts'
import { PASSWORD_MAX } from '../users/password.ts'
import { Email } from '../users/email.ts'
import { afterFirstFactor } from './first-factor.ts'
import { checkSignIn } from './password-sign-in.ts'
import { SignInView } from './reply.ts'

export const loginShapes = {
  body: z.strictObject({
    email: Email,
    password: z.string().min(1).max(PASSWORD_MAX),
    /** Needed only by those whose address has accounts in several tenants. */
    tenant_id: optional(id),
  }),
  response: SignInView,
}

export async function login(
  ctx: Context,
  input: z.output<typeof loginShapes.body>,
): Promise<SignInView | HttpResponse> {
  const { user, tokens } = await checkSignIn(ctx, input)
  const reply = await afterFirstFactor(ctx, user, tokens, { method: 'password', amr: ['pwd'], trusted_mfa: false })
  // Until the second factor is shown nothing has begun that could be recorded.
  return 'mfa_required' in reply ? unchanged(reply) : reply
}
