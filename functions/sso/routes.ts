import { area, del, get, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}/sso'
const configuration = { host: 'api', rate: 'global', resource: 'tenant' } as const
const browser = { access: 'public', rate: 'auth', timeoutSeconds: 25, pages: true, looseQuery: true } as const

/** Whoever signs in for the first time gets an account on the way. */
const admits = {
  evidence: ['identity.user.created', 'identity.user.updated'],
  emits: ['user.created', 'user.updated'],
} as const

const makesAccounts = { cognito: ['AdminCreateUser', 'AdminGetUser', 'AdminSetUserPassword'] } as const

/** The function that reads the XML of strangers reaches what a sign-in needs: no key, no session, no ticket, no policy. */
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
  'T#*#live#FORMER',
  'T#*#live#EV#*',
  'T#*#live#EVP#*',
  'T#*#live#OUT#*',
  'T#*#live#AUDIT#*',
] as const

const begins = { evidence: { none: 'a sign-in has begun; its end is recorded' } } as const

export const sso = area('sso', {
  get: read(path, {
    access: 'tenant:read',
    resource: 'tenant',
    summary: 'Shows how the people of the tenant sign in elsewhere, and what the identity provider must know of us.',
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
    summary: 'Tries the configuration: findings, and a link that goes the whole way without signing anybody in.',
  }),
  start: get('/auth/sso/start', {
    ...browser,
    ...begins,
    host: 'api',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    summary: 'Sends a browser to the identity provider of its tenant (SAML 2.0).',
  }),
  metadata: read('/auth/sso/saml/metadata/{tenant}', {
    access: 'public',
    rate: 'auth',
    resource: 'tenant',
    looseQuery: true,
    summary: 'The metadata of a tenant as a SAML service provider. Its address is also its entity id.',
  }),
  samlCallback: post('/auth/sso/callback', {
    ...browser,
    ...admits,
    host: 'api',
    form: true,
    bodyBytesMax: 524_288,
    memoryMb: 1_024,
    uses: [{ table: 'write', only: READER_OF_XML }, makesAccounts],
    summary: 'Takes the answer of a SAML identity provider and sends the browser on with a one-time code.',
  }),
  logout: get('/auth/sso/logout', {
    ...browser,
    host: 'api',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'identity.session.revoked',
    summary: 'Signs people out whom their SAML identity provider has signed out, or tells that it has.',
  }),
  startOpenId: get('/auth/sso/start', {
    ...browser,
    ...begins,
    host: 'app',
    uses: [{ table: 'write' }, { seal: 'payload' }, { outbound: true }],
    summary: 'Sends a browser to the identity provider of its tenant (OpenID Connect).',
  }),
  openIdCallback: get('/auth/sso/callback', {
    ...browser,
    ...admits,
    host: 'app',
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { outbound: true },
      { cognito: [...makesAccounts.cognito, 'AdminUpdateUserAttributes'] },
    ],
    summary: 'Takes the code of an OpenID provider and sends the browser on with a one-time code.',
  }),
  token: post('/api/v1/auth/sso/token', {
    host: 'api',
    access: 'public',
    rate: 'auth',
    timeoutSeconds: 25,
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { asset: 'countries.mmdb' },
      { passkeys: true },
      { cognito: ['AdminInitiateAuth', 'AdminRespondToAuthChallenge', 'DescribeUserPoolClient'] },
    ],
    evidence: 'identity.session.started',
    emits: ['user.login'],
    summary: 'Exchanges the one-time code of a sign-in for tokens, or for what a second factor needs.',
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
    summary: 'Removes the tie between an account and its subject at the OpenID provider.',
  }),
})
