// What a sign-in page needs to take a passkey alone.
import type { Context } from '../../base/context.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { newSecret } from '../access/one-time.ts'
import { maySignInByPasskey } from '../mfa/policy.ts'
import { askForAnyPasskey } from '../mfa/webauthn-options.ts'

/** JSON of the options for the browser, and the nonce of the script that gives them to it. */
export type PasskeyAsk = { options: string; nonce: string }

/** Undefined where the tenant takes a passkey as a second factor only. */
export async function passkeyAsk(ctx: Context, tenant: Pick<Tenant, 'mfa_policy'>): Promise<PasskeyAsk | undefined> {
  if (!maySignInByPasskey(tenant)) return undefined
  return { options: JSON.stringify(await askForAnyPasskey(ctx)), nonce: newSecret(ctx.random) }
}
