// The last step of every sign-in, for both protocols: finds the account, creates a one-time code and redirects back.
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { httpResponse, type HttpResponse } from '../../base/wire/call.ts'
import { interactionUrl } from './addresses.ts'
import { accountFor } from './account.ts'
import type { SsoConfiguration } from './configuration.ts'
import type { Move } from './move-address.ts'
import { createCode } from './one-time-code.ts'
import { reportPage } from './report.ts'
import { notAdmitted } from './refusal.ts'
import type { SsoRequest } from './request.ts'
import { keepHandle, newHandle, sloKeyOf } from '../sessions/slo-handle.ts'
import type { Assurance } from './assurance.ts'

/** Where a sign-in ends. When the provider began it, there is no request, and the configuration decides. */
export type Ending = Pick<SsoRequest, 'redirect_uri' | 'state' | 'code_challenge' | 'interaction' | 'test'>

/** `ctx` is inside the tenant. */
export async function complete(
  ctx: Context,
  sso: Stored<SsoConfiguration>,
  ending: Ending,
  person: Assurance,
  move?: Move,
): Promise<HttpResponse> {
  if (ending.test) return reportPage(ctx, sso, person)
  const { interaction, code_challenge } = ending
  const target =
    interaction === undefined ? (ending.redirect_uri ?? sso.login_redirect_uris[0]) : interactionUrl(interaction)
  if (target === undefined)
    throw notAdmitted('There is no address to return to. An owner can add one to login_redirect_uris.')
  const user = await accountFor(ctx, sso, person, move)
  const handle = person.slo && sso.saml && newHandle(ctx, user.id, { issuer: sso.saml.idp_entity_id, ...person.slo })
  if (handle) await keepHandle(ctx, handle)
  const code = await createCode(ctx, {
    tenant_id: sso.tenant_id,
    user_id: user.id,
    amr: person.amr,
    trusted_mfa: person.mfa && sso.trust_idp_mfa,
    session_cap: person.session_cap,
    slo_key: handle && sloKeyOf(handle),
    code_challenge,
    interaction,
  })
  const url = new URL(target)
  url.searchParams.set('code', code)
  if (ending.state !== undefined) url.searchParams.set('state', ending.state)
  return redirect(url.toString())
}

export const redirect = (url: string, headers: Record<string, string> = {}): HttpResponse =>
  httpResponse(302, '', { Location: url, ...headers })
