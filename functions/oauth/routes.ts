import { area, del, get, NONE, post, put, read, type RouteOptions } from '../../shared/base/wire/route.ts'

const stored = [{ table: 'write' }, { seal: 'payload' }, { secret: true }, { attest: true }] as const

/** Where a client may be the address of a document, which is then read. */
const reads = { outbound: true } as const

/** More memory gives more CPU: the library has many modules to load and builds its server at the first request. */
const server = {
  host: 'app',
  access: 'public',
  dialect: 'oauth',
  rate: 'auth',
  memoryMb: 1_024,
  uses: [...stored, { oauthKey: 'read' }],
} as const satisfies Partial<RouteOptions>

const discovery = { ...server, rate: 'none', preflight: 'any' } as const
const machine = { ...server, preflight: 'any' } as const
const htmlPage = { ...server, pages: true } as const
const page = {
  ...htmlPage,
  resource: 'sign-in',
  uses: [
    ...server.uses,
    reads,
    { cognito: ['AdminInitiateAuth', 'DescribeUserPoolClient', 'RevokeToken'] },
    { passkeys: true },
    { asset: 'countries.mmdb' },
  ],
  evidence: ['identity.session.started', 'identity.oauth_grant.created', 'identity.oauth_grant.revoked'],
  emits: ['user.login'],
} as const satisfies Partial<RouteOptions>
/** Who comes from the identity provider arrives here, and may prove an address. */
const signsIn = {
  ...page,
  uses: [...page.uses, { cognito: ['AdminSetUserPassword', 'AdminUserGlobalSignOut'] }],
  emits: [...page.emits, 'user.updated', 'user.credentials_revoked', 'action.rejected'],
} as const satisfies Partial<RouteOptions>
const registered = { ...server, resource: 'OAuth client' } as const

const own = {
  host: 'app',
  access: 'public',
  dialect: 'oauth',
  preflight: 'any',
} as const

export const oauth = area('oauth', {
  openidConfiguration: read('/.well-known/openid-configuration', {
    ...discovery,
    summary: 'Describes the OpenID provider and its endpoints (OpenID Connect Discovery).',
  }),
  authorizationServer: read('/.well-known/oauth-authorization-server', {
    ...discovery,
    summary: 'Describes the authorization server and its endpoints (RFC 8414).',
  }),
  keySet: read('/.well-known/jwks.json', {
    ...own,
    rate: 'none',
    uses: [{ oauthKey: 'read' }],
    summary: 'The public keys of OAuth tokens (RFC 7517).',
  }),
  authorize: get('/oauth/authorize', {
    ...htmlPage,
    uses: [...server.uses, reads],
    evidence: 'identity.oauth_grant.revoked',
    success: 200,
    summary: 'Begins an authorisation (RFC 6749, OpenID Connect). The client redirects the browser here.',
  }),
  resume: get('/oauth/authorize/{uid}', {
    ...htmlPage,
    uses: [...server.uses, reads],
    resource: 'sign-in',
    evidence: 'identity.oauth_grant.revoked',
    summary: 'Continues an authorisation after one of its pages, and ends with a redirect to the client.',
  }),
  interaction: get('/oauth/interaction/{uid}', {
    ...signsIn,
    summary: 'Shows the current page of an authorisation: sign-in, second factor or consent.',
  }),
  submitInteraction: post('/oauth/interaction/{uid}', {
    ...signsIn,
    form: true,
    summary: 'Receives the form of such a page.',
  }),
  token: post('/oauth/token', {
    ...machine,
    form: true,
    uses: [...stored, { oauthKey: 'sign' }, reads],
    evidence: 'identity.oauth_grant.revoked',
    summary:
      'Issues tokens for a code, for a device, for a refresh token or for a client itself (RFC 6749, RFC 8628). A code or refresh token that is used twice ends its grant.',
  }),
  deviceAuthorization: post('/oauth/device_authorization', {
    ...machine,
    form: true,
    uses: [...stored, { oauthKey: 'read' }, reads],
    evidence: { none: 'a request is kept for ten minutes; nothing is granted yet' },
    summary: 'Begins an authorisation for a device or command line that has no browser of its own (RFC 8628).',
  }),
  device: get('/oauth/device', {
    ...htmlPage,
    evidence: { none: 'only asks for the code' },
    summary: 'Asks a person for the code that their device shows (RFC 8628).',
  }),
  submitDevice: post('/oauth/device', {
    ...htmlPage,
    form: true,
    uses: [...server.uses, reads, { asset: 'countries.mmdb' }],
    evidence: 'identity.oauth_grant.revoked',
    summary: 'Receives that code, asks whether it is the right one, and continues with sign-in and consent.',
  }),
  resumeDevice: get('/oauth/device/{uid}', {
    ...htmlPage,
    uses: [...server.uses, reads],
    resource: 'sign-in',
    evidence: 'identity.oauth_grant.revoked',
    success: 200,
    summary: 'Continues the authorisation of a device after one of its pages.',
  }),
  par: post('/oauth/par', {
    ...machine,
    form: true,
    evidence: { none: 'a request is kept for a minute; nothing is granted yet' },
    summary: 'Stores an authorisation request before the browser is redirected (RFC 9126).',
  }),
  revoke: post('/oauth/revoke', {
    ...machine,
    form: true,
    evidence: ['identity.oauth_grant.revoked', 'identity.oauth_token.revoked'],
    summary:
      'Ends the grant of a refresh token or access token, and with it all its tokens; a token of the client itself ends alone (RFC 7009).',
  }),
  introspect: post('/oauth/introspect', {
    ...machine,
    form: true,
    evidence: NONE,
    summary: 'Tells a client of the same tenant whether a token is active, and its claims (RFC 7662).',
  }),
  userinfo: read('/oauth/userinfo', {
    ...own,
    rate: 'auth',
    uses: [{ table: 'read' }, { secret: true }],
    summary: 'Returns the person of an access token with the scope openid.',
  }),
  userinfoForm: post('/oauth/userinfo', {
    ...own,
    rate: 'auth',
    form: true,
    uses: [{ table: 'read' }, { secret: true }],
    evidence: NONE,
    summary: 'Returns the same for clients that post the token.',
  }),
  logout: get('/oauth/logout', {
    ...htmlPage,
    evidence: { none: 'only asks; the confirmation is recorded' },
    summary: 'Asks whether to end the login of a browser (OpenID Connect RP-Initiated Logout).',
  }),
  confirmLogout: post('/oauth/logout/confirm', {
    ...htmlPage,
    form: true,
    evidence: ['identity.oauth_grant.revoked', 'identity.session.revoked'],
    summary: 'Ends the login after that page was confirmed, and tells the clients that were signed in to.',
  }),
  loggedOut: read('/oauth/logout/success', { ...htmlPage, summary: 'Says that the login has ended.' }),
  register: post('/oauth/register', {
    ...server,
    evidence: 'identity.oauth_client.created',
    success: 201,
    summary: 'Registers a client in the tenant of the registration token (RFC 7591).',
  }),
  readRegistration: read('/oauth/register/{client_id}', {
    ...registered,
    summary: 'Shows a client its own registration (RFC 7592).',
  }),
  updateRegistration: put('/oauth/register/{client_id}', {
    ...registered,
    evidence: 'identity.oauth_client.updated',
    summary: 'Replaces a registration; the registration access token changes with it (RFC 7592).',
  }),
  deleteRegistration: del('/oauth/register/{client_id}', {
    ...registered,
    evidence: 'identity.oauth_client.deleted',
    success: 204,
    summary: 'Deletes a client that registered itself (RFC 7592).',
  }),
})
