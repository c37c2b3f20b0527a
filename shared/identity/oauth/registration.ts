// Clients that register themselves (RFC 7591, RFC 7592). Such a client always belongs to the tenant of its registration token
// and always asks people for consent, whatever it sends.
import { errors, type Payload, type RequestContext } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { isDisplayName } from '../../base/lib/display-name.ts'
import { initialAccess } from './registration-token.ts'
import { redirectUriProblem, applicationType } from '../../base/lib/redirect-uri.ts'
import { OAUTH_SCOPES } from './scopes.ts'

/** The server makes no outbound calls, so a client must send its keys themselves. */
const REMOTE = ['jwks_uri', 'sector_identifier_uri'] as const

/** Completes the metadata of a registration or of its update, and refuses what this server does not support. */
export async function tenantPolicy(ctx: RequestContext, metadata: Payload): Promise<void> {
  for (const name of REMOTE) {
    if (metadata[name] !== undefined) throw new errors.InvalidClientMetadata(`${name} is not supported. Leave it out.`)
  }
  const { client_name: name } = metadata
  // A name that is too long or holds half a character is mended later.
  if (typeof name === 'string' && name !== '' && !isDisplayName(name.toWellFormed()))
    throw new errors.InvalidClientMetadata('client_name must consist of visible characters.')
  const uris = [metadata.redirect_uris, metadata.post_logout_redirect_uris]
    .flat()
    .filter((uri) => typeof uri === 'string')
  for (const uri of uris) {
    const problem = redirectUriProblem(uri)
    if (problem) throw new errors.InvalidClientMetadata(`redirect_uris: ${problem}`)
  }
  Object.assign(metadata, await ownersOf(ctx), {
    skip_consent: false,
    scope: metadata.scope ?? OAUTH_SCOPES.join(' '),
    application_type: applicationType(uris),
  })
}

async function ownersOf({ oidc }: RequestContext) {
  const { InitialAccessToken: token, Client: client } = oidc.entities
  if (client) return { tenant_id: client.tenant_id, mode: client.mode }
  const access = token && (await initialAccess(openTable(), token.jti))
  if (!access) throw new errors.InvalidToken()
  return { tenant_id: access.tenant_id, mode: 'live' }
}
