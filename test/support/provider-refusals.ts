// Answers of real token endpoints to a refresh, by the connector of the catalogue: as the providers document them, or as they were
// reported in public by those who got them. Ids are made up.
export type RefusedRefresh = {
  status: number
  body: object | string
  /** What people read of it. */
  says: readonly [code: string, words?: string]
}

const REVOKED = 'Token has been expired or revoked.'
const google: readonly RefusedRefresh[] = [
  { status: 400, body: { error: 'invalid_grant', error_description: REVOKED }, says: ['invalid_grant', REVOKED] },
  {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Bad Request' },
    says: ['invalid_grant', 'Bad Request'],
  },
  {
    status: 400,
    body: { error: 'admin_policy_enforced', error_description: 'Access denied by the administrator.' },
    says: ['admin_policy_enforced', 'Access denied by the administrator.'],
  },
  {
    status: 401,
    body: { error: 'deleted_client', error_description: 'The OAuth client was deleted.' },
    says: ['deleted_client'],
  },
]

/** Doorkeeper's text, which GitLab and Linear's older endpoint send. */
const DOORKEEPER =
  'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization ' +
  'request, or was issued to another client.'

export const REFUSED_REFRESHES: Readonly<Record<string, readonly RefusedRefresh[]>> = {
  github: [
    {
      status: 200,
      body: {
        error: 'bad_refresh_token',
        error_description: 'The refresh token passed is incorrect or expired.',
        error_uri: 'https://docs.github.com',
      },
      says: ['bad_refresh_token', 'The refresh token passed is incorrect or expired.'],
    },
    {
      status: 200,
      body: 'error=incorrect_client_credentials&error_description=The+client_id+and%2For+client_secret+passed+are+incorrect.',
      says: ['incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.'],
    },
    { status: 404, body: { error: 'Not Found' }, says: ['Not Found'] },
  ],
  gitlab: [
    {
      status: 400,
      body: { error: 'invalid_grant', error_description: DOORKEEPER },
      says: ['invalid_grant', DOORKEEPER],
    },
    { status: 401, body: { error: 'invalid_token', error_description: 'Token was revoked.' }, says: ['invalid_token'] },
  ],
  'google-calendar': google,
  'google-drive': google,
  'google-mail': google,
  hubspot: [
    {
      status: 400,
      body: { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token', correlationId: '6356f281' },
      says: ['BAD_REFRESH_TOKEN', 'missing or invalid refresh token'],
    },
    {
      status: 400,
      body: { status: 'error', message: 'refresh token was not issued to this client', correlationId: '6356f281' },
      says: ['http_400', 'refresh token was not issued to this client'],
    },
  ],
  jira: [
    {
      status: 403,
      body: { error: 'unauthorized_client', error_description: 'refresh_token is invalid' },
      says: ['unauthorized_client', 'refresh_token is invalid'],
    },
    {
      status: 403,
      body: { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' },
      says: ['invalid_grant', 'Unknown or invalid refresh token.'],
    },
  ],
  linear: [
    {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Refresh token is invalid or expired' },
      says: ['invalid_grant', 'Refresh token is invalid or expired'],
    },
    {
      status: 401,
      body: { errors: [{ message: 'Authentication required', extensions: { code: 'AUTHENTICATION_ERROR' } }] },
      says: ['AUTHENTICATION_ERROR', 'Authentication required'],
    },
  ],
  microsoft: [
    {
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: 'AADSTS700082: The refresh token has expired due to inactivity.\r\nTrace ID: 624f7355',
        error_codes: [700_082],
        trace_id: '624f7355',
        suberror: 'bad_token',
      },
      says: ['invalid_grant', 'AADSTS700082: The refresh token has expired due to inactivity. Trace ID: 624f7355'],
    },
    {
      status: 400,
      body: {
        error: 'interaction_required',
        error_description: 'AADSTS50076: you must use multi-factor authentication',
      },
      says: ['interaction_required'],
    },
  ],
  notion: [
    {
      status: 400,
      body: { object: 'error', status: 400, code: 'validation_error', message: 'The refresh token is invalid.' },
      says: ['validation_error', 'The refresh token is invalid.'],
    },
    { status: 401, body: { error: 'invalid_client' }, says: ['invalid_client'] },
  ],
  pagerduty: [
    { status: 400, body: { error: 'invalid_grant' }, says: ['invalid_grant'] },
    {
      status: 401,
      body: { error: { message: 'Authentication failed', code: 2_006, errors: ['Token revoked'] } },
      says: ['http_401', 'Authentication failed'],
    },
    { status: 401, body: 'HTTP Token: Access denied.\n', says: ['http_401', 'HTTP Token: Access denied.'] },
  ],
  salesforce: [
    {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'expired access/refresh token' },
      says: ['invalid_grant', 'expired access/refresh token'],
    },
    {
      status: 400,
      body: { error: 'inactive_org', error_description: 'organization is inactive' },
      says: ['inactive_org'],
    },
    {
      status: 401,
      body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
      says: ['INVALID_SESSION_ID', 'Session expired or invalid'],
    },
    {
      status: 404,
      body: '<html><head><title>URL No Longer Exists</title></head><body>Gone.</body></html>',
      says: ['http_404', 'URL No Longer Exists'],
    },
  ],
  slack: [
    { status: 200, body: { ok: false, error: 'invalid_refresh_token' }, says: ['invalid_refresh_token'] },
    { status: 200, body: { ok: false, error: 'token_expired' }, says: ['token_expired'] },
    { status: 200, body: { ok: false, error: 'account_inactive' }, says: ['account_inactive'] },
  ],
  zendesk: [
    { status: 400, body: { error: 'invalid_grant', error_description: DOORKEEPER }, says: ['invalid_grant'] },
    {
      status: 401,
      body: {
        error: 'invalid_token',
        error_description: 'The access token provided is expired, revoked, malformed or invalid for other reasons.',
      },
      says: ['invalid_token'],
    },
    {
      status: 404,
      body: {
        error: {
          title: 'No help desk at example.zendesk.com',
          message: 'There is no help desk configured at this address.',
        },
      },
      says: ['No help desk at example.zendesk.com', 'There is no help desk configured at this address.'],
    },
  ],
}

/** Of no provider in particular: what stands between this service and them answers, too. */
export const ODD_REFUSALS: readonly RefusedRefresh[] = [
  {
    status: 403,
    body: '<!doctype html><html><body><h1>403 Forbidden</h1></body></html>',
    says: ['http_403', '403 Forbidden'],
  },
  { status: 200, body: '<html><head><title>Sign in</title></head></html>', says: ['http_200', 'Sign in'] },
  { status: 400, body: '', says: ['http_400'] },
  { status: 410, body: 'null', says: ['http_410'] },
  { status: 302, body: '', says: ['http_302'] },
  { status: 401, body: '<error><code>NOPE</code></error>', says: ['http_401', 'NOPE'] },
  { status: 400, body: { code: 'vendor.4711', detail: 'no more' }, says: ['vendor.4711', 'no more'] },
  { status: 200, body: { message: 'The grant is gone' }, says: ['http_200', 'The grant is gone'] },
  { status: 418, body: '[]', says: ['http_418'] },
]
