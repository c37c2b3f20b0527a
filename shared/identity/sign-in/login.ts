import * as z from 'zod'
import { unchanged, type HttpResponse } from '../../base/wire/call.ts'
import type { Context } from '../../base/context.ts'
import { id, optional } from '../../base/wire/fields.ts'
import { Email, PASSWORD_MAX } from '../accounts/password.ts'
import { afterFirstFactor } from '../mfa/pending.ts'
import { checkSignIn } from './password-sign-in.ts'
import { SignInView } from '../sessions/sign-in-view.ts'

export const loginShapes = {
  body: z.strictObject({
    email: Email,
    password: z.string().min(1).max(PASSWORD_MAX).describe('The password.'),
    /** Chooses among the accounts of an address with accounts in several tenants. */
    tenant_id: optional(id).describe('Id of the tenant.'),
  }),
  response: SignInView,
}

export async function login(
  ctx: Context,
  input: z.output<typeof loginShapes.body>,
): Promise<SignInView | HttpResponse> {
  const { user, tokens } = await checkSignIn(ctx, input)
  const result = await afterFirstFactor(ctx, user, tokens, { method: 'password', amr: ['pwd'], trusted_mfa: false })
  // No session exists before the second factor, so there is nothing to record.
  return 'mfa_required' in result ? unchanged(result) : result
}
