import { area, del, get, patch, post, put, read } from '../../shared/base/wire/route.ts'

const open = { host: 'api', access: 'public', rate: 'auth' } as const
const own = { host: 'api', access: 'self', rate: 'global', whileUnverified: true } as const
const asks = {
  perEmail: true,
  uses: [{ queue: 'mail' }, { table: 'write' }, { secret: true }],
  evidence: { none: 'using the link in the mail is recorded' },
} as const

const signsIn = {
  ...open,
  perEmail: true,
  uses: [
    { table: 'write' },
    { seal: 'payload' },
    { secret: true },
    { asset: 'countries.mmdb' },
    { passkeys: true },
    { cognito: ['AdminInitiateAuth', 'DescribeUserPoolClient'] },
  ],
  evidence: 'identity.session.started',
  emits: ['user.login'],
} as const

const renews = {
  ...open,
  uses: [
    { table: 'write' },
    { seal: 'payload' },
    { secret: true },
    { attest: true },
    { cognito: ['GetTokensFromRefreshToken', 'DescribeUserPoolClient'] },
  ],
  evidence: { none: 'the start and the end of a session are recorded' },
} as const

/** A first proof of an address ends what the account made before. */
const ENDING_EVENTS = ['user.credentials_revoked', 'action.rejected'] as const

const setsPassword = {
  uses: [
    { table: 'write' },
    { seal: 'payload' },
    { secret: true },
    { leakedPasswords: true },
    { cognito: ['AdminSetUserPassword', 'AdminUserGlobalSignOut'] },
  ],
  evidence: ['identity.user.password_changed', 'identity.user.created'],
  emits: ['user.updated', 'user.created', ...ENDING_EVENTS],
  timeoutSeconds: 20,
} as const

const page = { host: 'app', access: 'public', rate: 'auth', pages: true, looseQuery: true } as const
const published = { access: 'public', rate: 'none' } as const

export const auth = area('auth', {
  register: post('/api/v1/auth/register', {
    ...open,
    perEmail: true,
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { secret: true },
      { verifyKey: true },
      { leakedPasswords: true },
      { cognito: ['AdminCreateUser', 'AdminGetUser', 'AdminSetUserPassword', 'AdminUserGlobalSignOut'] },
    ],
    evidence: ['identity.user.created', 'identity.tenant.created', 'identity.user.password_changed'],
    emits: ['user.created', ...ENDING_EVENTS],
    timeoutSeconds: 20,
    success: 201,
    summary: 'Makes an account: the owner of a new tenant, or a member of the tenant that invited.',
  }),
  login: post('/api/v1/auth/login', {
    ...signsIn,
    summary: 'Signs in with e-mail and password. Answers tokens, or what a second factor needs.',
  }),
  passkeyOptions: post('/api/v1/auth/passkey/options', {
    ...open,
    uses: [{ secret: true }, { passkeys: true }],
    evidence: { none: 'a challenge changes nothing' },
    summary: 'Gives a browser what it needs to sign in with a passkey. Nobody has to say who they are.',
  }),
  signInWithPasskey: post('/api/v1/auth/passkey', {
    ...open,
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { secret: true },
      { asset: 'countries.mmdb' },
      { passkeys: true },
      { cognito: ['AdminInitiateAuth', 'AdminRespondToAuthChallenge', 'DescribeUserPoolClient'] },
    ],
    evidence: 'identity.session.started',
    emits: ['user.login'],
    summary: 'Signs in with a passkey alone, which counts as two factors. Answers tokens.',
  }),
  loginUnversioned: post('/auth/login', { ...signsIn, summary: 'Signs in; the same as POST /api/v1/auth/login.' }),
  refresh: post('/api/v1/auth/refresh', {
    ...renews,
    summary: 'Exchanges a refresh token for a new access token and the next refresh token.',
  }),
  refreshUnversioned: post('/auth/refresh', { ...renews, summary: 'The same as POST /api/v1/auth/refresh.' }),
  logout: post('/api/v1/auth/logout', {
    ...own,
    whileEnrolling: true,
    uses: [{ table: 'write' }, { seal: 'payload' }, { cognito: ['RevokeToken', 'DescribeUserPoolClient'] }],
    evidence: 'identity.session.revoked',
    summary: 'Ends the session of the token. Its tokens are no longer accepted.',
  }),
  me: read('/api/v1/auth/me', { access: 'self', whileEnrolling: true, summary: 'Shows who is signed in.' }),
  updateMe: patch('/api/v1/auth/me', {
    ...own,
    uses: [{ table: 'write' }],
    evidence: 'identity.user.updated',
    emits: ['user.updated'],
    summary: 'Changes the name of the person who is signed in.',
  }),
  forgotPassword: post('/api/v1/auth/password/forgot', {
    ...open,
    ...asks,
    success: 202,
    summary: 'Sends a link to set a new password, if the address has an account. The answer is always the same.',
  }),
  resetPassword: post('/api/v1/auth/password/reset', {
    ...open,
    ...setsPassword,
    summary:
      'Sets a password with the token of a reset or invitation link. All sessions end, and with the first proof of the address all that the account made before.',
  }),
  changePassword: post('/api/v1/auth/password/change', {
    ...own,
    uses: [
      { table: 'write' },
      { leakedPasswords: true },
      { cognito: ['AdminInitiateAuth', 'AdminSetUserPassword', 'DescribeUserPoolClient', 'RevokeToken'] },
    ],
    evidence: 'identity.user.password_changed',
    emits: ['user.updated'],
    summary:
      'Changes the password of the person who is signed in. Their other sessions and their grants to OAuth clients end.',
  }),
  verifyEmail: get('/api/v1/auth/verify-email', {
    ...open,
    session: 'optional',
    pages: true,
    looseQuery: true,
    uses: [{ table: 'write' }, { secret: true }],
    evidence: 'identity.user.email_verified',
    emits: ['user.updated'],
    summary:
      'Verifies an e-mail address with the token of its link. With a session, for the person who is signed in; without one, only for an account that nobody has used. A browser gets a page that asks for the password.',
  }),
  submitVerification: post('/auth/verify', {
    ...page,
    form: true,
    uses: [
      { table: 'write' },
      { secret: true },
      { cognito: ['AdminInitiateAuth', 'DescribeUserPoolClient', 'RevokeToken'] },
    ],
    evidence: 'identity.user.email_verified',
    emits: ['user.updated'],
    summary: 'Verifies an e-mail address with the token of its link and the password of its account.',
  }),
  resendVerification: post('/api/v1/auth/resend-verification', {
    ...open,
    ...asks,
    success: 202,
    summary: 'Sends the verification link again: once a minute, five times a day. The answer is always the same.',
  }),
  listSessions: read('/api/v1/auth/sessions', {
    access: 'self',
    summary: 'Lists the sessions of the person who is signed in.',
  }),
  endSession: del('/api/v1/auth/sessions/{id}', {
    ...own,
    uses: [{ table: 'write' }],
    evidence: 'identity.session.revoked',
    resource: 'session',
    success: 204,
    summary: "Ends one of the caller's sessions.",
  }),
  listApplications: read('/api/v1/auth/applications', {
    access: 'self',
    summary: 'Lists the applications that the person who is signed in has given access to.',
  }),
  disconnectApplication: del('/api/v1/auth/applications/{client_id}', {
    ...own,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: ['identity.oauth_grant.revoked', 'approval.cancelled'],
    emits: ['user.credentials_revoked', 'action.rejected'],
    timeoutSeconds: 20,
    resource: 'application',
    success: 204,
    summary:
      'Ends the access of an application to the account of the caller. Its tokens are refused at once, and what it asked for is cancelled.',
  }),
  sessionPolicy: read('/api/v1/tenants/{tenant_id}/session-policy', {
    access: 'tenant:read',
    summary: 'Shows how long sessions live, how many a person may have, and how long passwords must be.',
  }),
  setSessionPolicy: put('/api/v1/tenants/{tenant_id}/session-policy', {
    host: 'api',
    access: 'tenant:security',
    rate: 'global',
    inPerson: true,
    uses: [{ table: 'write' }],
    evidence: 'identity.session_policy.updated',
    summary: 'Sets the session policy. A shorter one holds for live sessions at their next request.',
  }),
  passwordPage: read('/auth/password', {
    ...page,
    uses: [{ table: 'read' }, { secret: true }],
    summary: 'Shows the page behind reset and invitation links.',
  }),
  submitPassword: post('/auth/password', {
    ...page,
    ...setsPassword,
    form: true,
    summary: 'Takes the form of that page.',
  }),
  forgotPage: read('/auth/forgot', {
    ...page,
    uses: [{ table: 'read' }, { secret: true }],
    summary: 'Shows the page for a forgotten password, which sign-in pages link to.',
  }),
  submitForgot: post('/auth/forgot', {
    ...page,
    ...asks,
    form: true,
    summary: 'Takes the form of that page, and sends the link. The answer is always the same.',
  }),
  jwks: read('/.well-known/jwks.json', {
    ...published,
    uses: [{ oauthKey: 'read' }],
    summary: 'Lists the public keys of session tokens and OAuth tokens (RFC 7517).',
  }),
  protectedResource: read('/.well-known/oauth-protected-resource', {
    ...published,
    uses: [],
    summary: 'Names the authorization server that issues tokens for this API (RFC 9728).',
  }),
})
