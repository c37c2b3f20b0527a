// Begins a sign-out at the SAML provider of a session that ends here.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Session } from '../../sessions/session.ts'
import { ssoConfigurations } from '../settings/configuration.ts'
import { signedUrl } from './redirect-binding.ts'
import { beginRequest } from '../start.ts'
import { logoutRequest } from './messages.ts'
import { handleKey, sloHandles } from '../../sessions/slo-handle.ts'
import { privateKeySeal } from '../settings/secrets.ts'

/** The URL at which a browser signs out of the provider, too; undefined for sessions without single logout. */
export async function sloUrlFor(ctx: Context, { tenant_id, slo_key = '' }: Session): Promise<string | undefined> {
  const { table } = ctx
  const at = handleKey(tenant_id, slo_key)
  if (!at) return undefined
  const [sso, handle] = await Promise.all([table.get(ssoConfigurations, { tenant_id }), table.get(sloHandles, at)])
  const destination = sso?.saml?.slo_url
  if (!sso || !handle || destination === undefined) return undefined
  const [id, private_key] = await Promise.all([
    beginRequest(ctx, { tenant_id, kind: 'saml_logout', test: false }, slo_key),
    privateKeySeal.open(sso, sso.sp.private_key),
  ])
  const message = logoutRequest({ id, at: iso(ctx.now()), destination, tenant_id }, handle)
  return signedUrl(destination, { kind: 'SAMLRequest', message, private_key })
}
