// The pages on which a person signs in to the service itself.
import { sha256 } from '../../base/lib/json.ts'
import type { Context } from '../../base/context.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { type Html, page } from '../../base/wire/page.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { forgottenUrl } from '../access/way-back.ts'
import { newSecret } from '../access/one-time.ts'
import { headingOf } from '../logo/heading.ts'
import { type FactorAsk, factorForm, type Form, passwordForm } from '../oauth/pages/forms.ts'
import type { MfaRequired } from '../sessions/sign-in-view.ts'
import { passkeyAsk } from '../sign-in/passkey-ask.ts'
import { startUrl } from '../sso/addresses.ts'
import { ssoConfigurations } from '../sso/settings/configuration.ts'

type Asking = { tenant: Tenant; form: Form; email?: string; status?: number; headers?: Record<string, string> }

/** `here`: the address that a sign-in at the organisation's provider returns to; `verifier` stays in the browser's cookie. */
export async function passwordPage(
  ctx: Context,
  { tenant, form, email = '', status = 200, headers = {} }: Asking,
  here: string,
  verifier: string,
): Promise<HttpResponse> {
  const [sso, organisation, passkey] = await Promise.all([
    ctx.table.get(ssoConfigurations, { tenant_id: tenant.id }),
    headingOf(ctx.table, tenant),
    passkeyAsk(ctx, tenant),
  ])
  const elsewhere = { tenant: tenant.id, redirect_uri: here, code_challenge: sha256(verifier).toString('base64url') }
  const sso_url = sso?.enabled ? startUrl(sso.protocol, elsewhere) : undefined
  const content = passwordForm(form, {
    organisation,
    client: `the approvals of ${tenant.name}`,
    email,
    forgotten_url: await forgottenUrl(tenant.id, here),
    sso_url,
    passkey,
  })
  return page('Sign in', content, { status, headers, nonce: passkey?.nonce })
}

type Factors = { form: Form; ask: Pick<MfaRequired, 'methods' | 'webauthn'>; first: FactorAsk['first'] }

/** The page of a second factor; `hidden`: fields that its forms carry along. */
export function factorPage(
  ctx: Context,
  { form, ask: { methods, webauthn }, first }: Factors,
  hidden: Html | undefined,
  options: { status?: number; headers?: Record<string, string> } = {},
): HttpResponse {
  const nonce = webauthn && newSecret(ctx.random)
  const content = factorForm(
    { ...form, hidden },
    {
      first,
      codes: methods.includes('totp'),
      passkey: webauthn && { challenge_id: webauthn.challenge_id, options: JSON.stringify(webauthn.options) },
      nonce: nonce ?? '',
    },
  )
  return page('Second factor', content, { nonce, ...options })
}
