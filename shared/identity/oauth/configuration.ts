// The configuration of the OAuth library. Features that are not named here are off.
import { interactionPolicy, type RequestContext, type Token } from 'oidc-provider'
import { newSecret } from '../access/one-time.ts'
import { currentRuntime, openTable } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { ulid } from '../../base/lib/ids.ts'
import { CLAIMS, type KnownAccount, knownAccount } from './account.ts'
import { ArtefactAdapter, SessionAdapter } from './adapters/adapter.ts'
import { ClientAdapter, InitialAccessAdapter, RegistrationAccessAdapter, tenantPolicy } from './adapters/client.ts'
import { AUTH_METHODS, type OAuthClient } from './clients/client.ts'
import { EXTRA_METADATA } from './clients/client-metadata.ts'
import { DeviceCodeAdapter } from './device/codes.ts'
import { DEVICE_FLOW } from './device/pages.ts'
import { failurePage, loggedOutPage, logoutPage } from './pages/end-pages.ts'
import { GrantAdapter } from './adapters/grant.ts'
import { interactionUrl } from '../sso/addresses.ts'
import { checkAuthorizationScope, isOwn, resourceServer, tokenClaims } from './resource.ts'
import { originOf } from '../../base/lib/redirect-uri.ts'
import { POLICY } from './clients/registration-token.ts'
import { ACCESS_SECONDS } from '../../base/limits/published.ts'
import { existingGrant, GRANT_SECONDS } from './consent.ts'
import { apiResource } from './resources.ts'
import { OAUTH_SCOPES } from './scopes.ts'
import { currentRequest } from './current-request.ts'

export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  device_authorization: '/oauth/device_authorization',
  code_verification: '/oauth/device',
  pushed_authorization_request: '/oauth/par',
  registration: '/oauth/register',
  end_session: '/oauth/logout',
  userinfo: '/oauth/userinfo',
  jwks: '/.well-known/jwks.json',
}

const HOUR = 3_600
const ON = { enabled: true }
const OFF = { enabled: false }

/** `jwks`: the signing keys. `cookieKeys`: the first signs cookies, all verify them. */
export const configuration = (jwks: { keys: object[] }, cookieKeys: readonly string[]) => ({
  adapter: adapterOf,
  jwks,
  findAccount,
  routes: ROUTES,
  responseTypes: ['code'],
  scopes: [...OAUTH_SCOPES],
  claims: CLAIMS,
  clientAuthMethods: [...AUTH_METHODS],
  enabledJWA: { idTokenSigningAlgValues: ['RS256'], clientAuthSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
  allowOmittingSingleRegisteredRedirectUri: false,
  rotateRefreshToken: true,
  issueRefreshToken,
  loadExistingGrant: existingGrant,
  extraParams: { scope: checkAuthorizationScope },
  extraTokenClaims: tokenClaims,
  extraClientMetadata: { properties: [...EXTRA_METADATA] },
  clientBasedCORS,
  interactions: {
    policy: promptPolicy(),
    url: (_: RequestContext, { uid }: { uid: string }) => interactionUrl(uid),
  },
  cookies: { keys: [...cookieKeys], names: { session: 'oauth', interaction: 'oauth_ask', resume: 'oauth_resume' } },
  ttl: LIFETIMES,
  discovery: { userinfo_endpoint: `${env('APP_URL')}${ROUTES.userinfo}`, client_id_metadata_document_supported: true },
  renderError: failurePage,
  fetch: fetchNothing,
  features: FEATURES,
})

const LIFETIMES = {
  AuthorizationCode: 60,
  DeviceCode: 600,
  AccessToken: ({ oidc }: RequestContext) => (oidc.account as KnownAccount).accessSeconds, // from `findAccount`
  ClientCredentials: ACCESS_SECONDS,
  IdToken: 900,
  Interaction: 600,
  Session: 8 * HOUR,
  Grant: GRANT_SECONDS,
  /** Set by the session policy of the tenant. */
  RefreshToken: ({ oidc }: RequestContext) => (oidc.account as KnownAccount).refreshSeconds,
}

const FEATURES = {
  devInteractions: OFF,
  dPoP: OFF,
  userinfo: OFF, // see userinfo.ts: the library refuses tokens that have an audience
  clientCredentials: ON,
  introspection: { ...ON, allowedPolicy: isOwn },
  revocation: { ...ON, allowedPolicy: isOwn },
  deviceFlow: { ...ON, ...DEVICE_FLOW },
  pushedAuthorizationRequests: ON,
  rpInitiatedLogout: { ...ON, logoutSource: logoutPage, postLogoutSuccessSource: loggedOutPage },
  registration: {
    ...ON,
    initialAccessToken: true,
    policies: { [POLICY]: tenantPolicy },
    idFactory: () => `cli_${ulid(currentRuntime().clock.now(), currentRuntime().random)}`,
    secretFactory: () => newSecret(currentRuntime().random),
  },
  registrationManagement: ON,
  backchannelLogout: ON, // provider.ts: the library only knows the metadata
  resourceIndicators: {
    ...ON,
    defaultResource: apiResource,
    useGrantedResource: () => true,
    getResourceServerInfo: resourceServer,
  },
  externalSigningSupport: { ...ON, ack: 'experimental-01' },
}

function adapterOf(model: string) {
  if (model === 'Client') return new ClientAdapter()
  if (model === 'DeviceCode') return new DeviceCodeAdapter()
  if (model === 'Grant') return new GrantAdapter()
  if (model === 'Session') return new SessionAdapter()
  if (model === 'RegistrationAccessToken') return new RegistrationAccessAdapter()
  return model === 'InitialAccessToken' ? new InitialAccessAdapter() : new ArtefactAdapter(model)
}

/** The person of a session, code or token; undefined when it no longer holds for this client. */
async function findAccount({ oidc }: RequestContext, id: string, token?: Token) {
  const { client, session, entities } = oidc
  if (!client) return undefined
  // The client exchanges the code from its own address. The person's address was checked when they signed in.
  const ip = token?.kind === 'AuthorizationCode' || token?.kind === 'DeviceCode' ? undefined : currentRequest().call.ip
  return knownAccount(openTable(), {
    tenant_id: client.tenant_id,
    id,
    ip,
    since: token?.iat ?? session?.loginTs,
    sign_in: token ? entities.Grant?.sign_in : session?.sign_in,
    isBrowser: token === undefined,
  })
}

type Grants = { grantTypeAllowed: (type: OAuthClient['grant_types'][number]) => boolean }

const issueRefreshToken = async (_: RequestContext, client: Grants, source: { scopes: Set<string> }) =>
  client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access')

/** Only origins that may receive a client's codes may call the server from a browser. */
const clientBasedCORS = (_: RequestContext, origin: string, { redirectUris }: { redirectUris: string[] }) =>
  redirectUris.some((uri) => originOf(uri) === origin)

/** The library calls nobody: keys and policies of clients come with their registration, documents through `document-client.ts`. */
async function fetchNothing(): Promise<never> {
  throw new Error('the OAuth library must not make outbound calls')
}

const { Check } = interactionPolicy

/**
 * Prompts for a sign-in when the account of the session is not found for this client: it belongs to another tenant, was
 * suspended, or was signed out everywhere.
 */
const accountMissing = () =>
  new Check('account_not_here', 'End-User authentication is required', ({ oidc }) =>
    oidc.session?.accountId !== undefined && oidc.account === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  )

/** Asks in every device authorisation: no redirect URI says who will get the tokens, so only the person can. */
const deviceUnasked = () =>
  new Check('device_unasked', 'End-User consent is required', ({ oidc }) =>
    oidc.deviceCode !== undefined && oidc.result?.consent === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  )

/** When the server prompts a person to sign in or to consent: the library's rules and two more. */
function promptPolicy() {
  const policy = interactionPolicy.base()
  policy.get('login').checks.add(accountMissing())
  policy.get('consent').checks.add(deviceUnasked())
  return policy
}
