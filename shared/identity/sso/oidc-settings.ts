import { invalid } from '../../base/lib/failure.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'
import { type OidcSettings, type SsoConfiguration } from './configuration.ts'
import type { SsoFields } from './fields.ts'
import { clientSecretSeal } from './secrets.ts'

/** Issuers of all organisations together. Anybody could create an account with any address there. */
const SHARED = /\{|^https:\/\/[^/]+\/(common|organizations|consumers)(\/|$)/i

/** The stored settings of an OpenID provider. Throws 422 for an issuer that must not be called or that many organisations share. */
export async function oidcSettings(
  tenant_id: string,
  given: SsoFields['oidc'],
  was: SsoConfiguration | undefined,
): Promise<OidcSettings> {
  if (!given) throw invalid(['oidc'], 'The protocol oidc needs these settings. Add them.', 'missing')
  const { issuer, client_id, client_secret } = given
  const refuse = (why: string) => invalid(['oidc', 'issuer'], why)
  const url = URL.parse(issuer)
  if (!url || url.search !== '' || url.hash !== '') throw refuse('The issuer must be a URL without query and fragment.')
  if (SHARED.test(issuer)) throw refuse('This issuer is shared by many organisations. Use the issuer of yours.')
  const refusal = await refusalOfTarget(issuer)
  if (refusal) throw refuse(refusal)
  const isSame = was?.oidc?.issuer === issuer && was.oidc.client_id === client_id
  const kept = isSame ? was.oidc?.client_secret : undefined
  const secret = client_secret === undefined ? kept : await clientSecretSeal.seal({ tenant_id }, client_secret)
  if (secret === undefined)
    throw invalid(['oidc', 'client_secret'], 'A new issuer or client_id needs its client_secret. Add it.', 'missing')
  return { issuer, client_id, client_secret: secret }
}
