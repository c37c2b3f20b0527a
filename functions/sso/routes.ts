import { area, del, get, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}/sso'
const configuration = { host: 'api', rate: 'global', resource: 'tenant' } as const
const browser = { access: 'public', rate: 'auth', timeoutSeconds: 25, pages: true, looseQuery: true } as const

/** A first sign-in may create an account. */
const admits = {
  evidence: ['identity.user.created', 'identity.user.updated'],
  emits: ['user.created', 'user.updated'],
} as const

const makesAccounts = { cognito: ['AdminCreateUser', 'AdminGetUser', 'AdminSetUserPassword'] } as const

/** This function reads XML from anybody, so its role reaches only the items of a sign-in: no keys, sessions, tickets, policies. */
const READER_OF_XML = [
  'SSOREQ#*',
  'SSOCODE#*',
  'DOMAIN#*',
  'EMAIL#*',
  'SUB#*',
  'T#*#live',
  'T#*#live#ASSERT#*',
  'T#*#live#SLO#*',
  'T#*#live#USER#*',
  'T#*#live#HEADCOUNT#users*',
  'T#*#live#FORMER',
  'T#*#live#EV#*',
  'T#*#live#EVP#*',
  'T#*#live#OUT#*',
  'T#*#live#AUDIT#*',
  'T#*#live#KMS',
] as const

const begins = { evidence: { none: 'a sign-in has begun; its end is recorded' } } as const

export const sso = area('sso', {
  get: read(path, {
    access: 'tenant:read',
    resource: 'tenant',
    summary: 'Shows the single sign-on configuration, and the settings for the identity provider.',
  }),
  configure: post(path, {
    ...configuration,
    access: 'tenant:security',
    inPerson: true,
    uses: [{ table: 'write' }, { seal: 'payload' }, { outbound: true }],
    evidence: 'identity.sso.updated',
    timeoutSeconds: 25,
    summary: 'Configures sign-in by SAML 2.0 or OpenID Connect for verified domains. For owners.',
  }),
  delete: del(path, {
    ...configuration,
    access: 'tenant:security',
    inPerson: true,
    uses: [{ table: 'write' }],
    success: 204,
    evidence: 'identity.sso.deleted',
    summary: 'Ends single sign-on. People sign in with a password again. For owners.',
  }),
  test: post(`${path}/test`, {
    ...configuration,
    access: 'tenant:security',
    uses: [{ table: 'write' }, { seal: 'payload' }, { outbound: true }],
    evidence: { none: 'tries the configuration and changes nothing of it' },
    timeoutSeconds: 25,
    summary: 'Tests the configuration. Returns findings, and a link for a complete test that signs nobody in.',
  }),
  start: get('/auth/sso/start', {
    ...browser,
    ...begins,
    host: 'api',
    uses: [{ table: 'write' }, { seal: 'payload' }, { secret: true }],
    summary: 'Sends a browser to the identity provider of its tenant (SAML 2.0).',
  }),
  metadata: read('/auth/sso/saml/metadata/{tenant}', {
    access: 'public',
    rate: 'auth',
    resource: 'tenant',
    uses: [{ table: 'read' }, { secret: true }],
    looseQuery: true,
    summary: 'Returns the SAML metadata of a tenant as service provider. Its URL is also its entity id.',
  }),
  samlCallback: post('/auth/sso/callback', {
    ...browser,
    ...admits,
    host: 'api',
    form: true,
    bodyBytesMax: 524_288,
    memoryMb: 1_024,
    uses: [{ table: 'write', only: READER_OF_XML }, { seal: 'payload' }, { secret: true }, makesAccounts],
    summary: 'Receives the answer of a SAML identity provider and redirects the browser with a one-time code.',
  }),
  logout: get('/auth/sso/logout', {
    ...browser,
    host: 'api',
    uses: [{ table: 'write' }, { seal: 'payload' }, { secret: true }],
    evidence: 'identity.session.revoked',
    summary: 'Signs people out when their SAML identity provider does, or confirms a sign-out that began here.',
  }),
  startOpenId: get('/auth/sso/start', {
    ...browser,
    ...begins,
    host: 'app',
    uses: [{ table: 'write' }, { seal: 'payload' }, { secret: true }, { outbound: true }],
    summary: 'Sends a browser to the identity provider of its tenant (OpenID Connect).',
  }),
  openIdCallback: get('/auth/sso/callback', {
    ...browser,
    ...admits,
    host: 'app',
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { secret: true },
      { outbound: true },
      { cognito: [...makesAccounts.cognito, 'AdminUpdateUserAttributes'] },
    ],
    summary: 'Receives the code of an OpenID provider and redirects the browser with a one-time code.',
  }),
  token: post('/api/v1/auth/sso/token', {
    host: 'api',
    access: 'public',
    rate: 'auth',
    timeoutSeconds: 25,
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { secret: true },
      { asset: 'countries.mmdb' },
      { passkeys: true },
      {
        cognito: [
          'AdminInitiateAuth',
          'AdminRespondToAuthChallenge',
          'AdminSetUserPassword',
          'AdminUserGlobalSignOut',
          'DescribeUserPoolClient',
        ],
      },
    ],
    evidence: 'identity.session.started',
    emits: ['user.login', 'user.updated', 'user.credentials_revoked', 'action.rejected'],
    summary: 'Exchanges the one-time code of a sign-in for tokens, or for the challenge of a second factor.',
  }),
  unlink: del('/api/v1/users/{id}/sso-link', {
    host: 'api',
    access: 'users:write',
    rate: 'global',
    resource: 'user',
    uses: [{ table: 'write' }],
    success: 204,
    evidence: 'identity.user.updated',
    emits: ['user.updated'],
    inPerson: true,
    summary: 'Removes the tie between an account and its subject at the OpenID provider.',
  }),
})
