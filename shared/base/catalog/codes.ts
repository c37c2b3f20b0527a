// Every code of a refusal with its cause and remedy. The table and the enumeration of the reference are made from it, and the
// page of errors.

type Meaning = { cause: string; remedy: string }

export const CODES = {
  malformed: {
    cause: 'The body is not a JSON object, or a parameter or header is malformed.',
    remedy: 'Correct the request as `detail` says. The same request would fail again.',
  },
  missing_field: { cause: 'A required member is missing.', remedy: 'Add the members that `errors` lists.' },
  invalid_cursor: {
    cause: 'The cursor was changed, is too old, or was made with other filters.',
    remedy: 'Start again without a cursor.',
  },
  unauthenticated: {
    cause: 'The request has no credential, two of them, or one that is unknown, expired or revoked.',
    remedy: 'Send one valid key or token, or sign in again.',
  },
  forbidden: {
    cause: 'The credential is valid, but lacks a permission, or a rule that `detail` names forbids the request.',
    remedy: 'Use a credential with the permission that `detail` names, or ask an administrator for it.',
  },
  plan_limit: {
    cause: 'The plan of the tenant allows no more resources of this kind.',
    remedy: 'Remove one, or change the plan.',
  },
  quota_exceeded: {
    cause: 'The free plan has used 120 % of what it includes in this period.',
    remedy: 'Change the plan, or wait `Retry-After` seconds. Approvals, undo, reads and exports still work.',
  },
  billing_not_configured: {
    cause: 'The operator has no account at the payment provider, or no price for this plan there.',
    remedy: 'Ask the operator of this deployment.',
  },
  just_paid: {
    cause: 'A payment was made while another one was begun.',
    remedy: 'Read the subscription, then start again if you still need to.',
  },
  payment_provider_refused: {
    cause: 'The payment provider refuses what was asked of it, for example because its settings are not complete.',
    remedy: 'Ask the operator of this deployment. The same request would fail again.',
  },
  connector_not_configured: {
    cause: 'Nobody has set an OAuth client for this connector.',
    remedy: 'Set `client_id` and `client_secret` of the connector, or ask the operator.',
  },
  invalid_state: {
    cause: 'The authorisation was used, has expired, or somebody else began it.',
    remedy: 'Start the authorisation again.',
  },
  provider_refused: {
    cause: 'The provider of the connector says no; `provider_error` has its code.',
    remedy: 'Start the authorisation again.',
  },
  different_account: {
    cause: 'The connector is connected with another account of the provider.',
    remedy: 'Disconnect first to change the account.',
  },
  choose_site: {
    cause: 'The account has several sites, and the request does not say which one.',
    remedy: 'Start again with `params.site` as one of those that `detail` lists.',
  },
  invalid_signature: {
    cause: 'The signature of a message of the payment provider does not fit its body, or is too old.',
    remedy: 'Send the body as it was signed, within five minutes.',
  },
  plan_feature: { cause: 'The plan of the tenant does not include this.', remedy: 'Change the plan.' },
  ip_not_allowed: {
    cause: 'The IP allowlist of the tenant does not contain your address.',
    remedy: 'Call from a listed network, or ask an administrator to add yours.',
  },
  policy_rejected: {
    cause: 'A policy forbids the action.',
    remedy: 'Read `receipt.policy_evaluations` to see which one. The same request would be rejected again.',
  },
  refused_before: {
    cause: 'People have just rejected the same request of the same person, so they are not asked again yet.',
    remedy:
      'Read why at `GET /api/v1/work/approvals/{id}` with the id in `detail`, and change the request; or send it again after `Retry-After` seconds.',
  },
  frozen: {
    cause: 'A freeze stops the action.',
    remedy: 'Wait until an administrator lifts it. Rejecting and cancelling work meanwhile.',
  },
  person_required: {
    cause: 'Only a person in a session of their own may do this, not an API key or an OAuth token.',
    remedy:
      'Sign in, show a second factor if you have one, and repeat the request. For a vote, `approval_url` is the page where people decide.',
  },
  sign_in_required: {
    cause: 'The person signed in too long ago for this change.',
    remedy: 'Sign in again, and repeat the request within ten minutes.',
  },
  factor_required: {
    cause: 'The change needs a second factor that was shown within the last minutes.',
    remedy: 'Show it at `POST /api/v1/auth/mfa/verify`, and repeat the request.',
  },
  enrolment_required: {
    cause: 'The change needs a second factor, and the account has none.',
    remedy: 'Add one at `POST /api/v1/auth/mfa/totp` or `/webauthn`, and repeat the request within ten minutes.',
  },
  not_independent: {
    cause:
      'Somebody who could have made the request invited the voter, gave them the right to decide, or reset their account within 30 days; or the same people stand behind who confirms an account.',
    remedy: 'Ask another approver, or let an independent administrator confirm the account.',
  },
  proof_required: {
    cause:
      'A directory made the account, or changed how it is opened, and its person has not proven that it is theirs.',
    remedy: 'Sign in through the identity provider, or use the link that `detail` names. Then repeat the request.',
  },
  address_unverified: {
    cause: 'The e-mail address of the caller, or of the person who made the credential, is not verified.',
    remedy: 'Open the link in the mail to that address; `POST /api/v1/auth/resend-verification` sends it again.',
  },
  password_needed: {
    cause:
      'The account of a verification link has been used, and the request shows neither its session nor its password.',
    remedy:
      'Send the token of a session in `Authorization`, or open the link in a browser. `POST /api/v1/auth/password/forgot` helps who has no password.',
  },
  not_found: {
    cause: 'The resource does not exist, or belongs to another tenant or mode.',
    remedy: 'Check the id and whether the key is a live or a test key.',
  },
  method_not_allowed: {
    cause: 'The path exists, but does not support this method.',
    remedy: 'Use a method that `Allow` lists.',
  },
  conflict: {
    cause: 'The state of the resource does not allow this, or another request changed it.',
    remedy: 'Read the resource again, then decide whether to repeat the request.',
  },
  already_exists: {
    cause: 'A resource with this name or id exists.',
    remedy: 'Use the existing resource, or another name.',
  },
  version_conflict: {
    cause: '`If-Match` names another version than the current one.',
    remedy: 'Read the resource again, apply your change to it, and send the new tag.',
  },
  idempotency_in_progress: {
    cause: 'A request with this `Idempotency-Key` is still running.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  key_in_use: {
    cause: 'Another person, agent or application has used this `Idempotency-Key` for the same operation.',
    remedy: 'Send a new key. Only the first caller, also with a rotated API key, gets the first answer again.',
  },
  domain_not_verified: {
    cause:
      'People would be sent to a host that is none of the organisation, of this deployment or of their own machine.',
    remedy: 'Verify the domain (`POST /api/v1/tenants/{tenant_id}/domain/verification`), or use the application host.',
  },
  precondition: { cause: 'A condition of the request does not hold.', remedy: 'Read the resource again.' },
  too_large: {
    cause: 'The body is larger than this operation accepts.',
    remedy: 'Send a smaller body, or split the request.',
  },
  invalid: {
    cause: 'The body is well-formed, but breaks rules.',
    remedy: 'Correct every member that `detail` lists.',
  },
  idempotency_mismatch: {
    cause: 'The `Idempotency-Key` was used for another request.',
    remedy: 'Use a new key for a new request.',
  },
  rate_limited: {
    cause: 'A rate limit is reached.',
    remedy: 'Wait for `Retry-After` seconds. Then retry at most three times, with growing waits and jitter.',
  },
  stream_limit: {
    cause: 'The tenant has as many event streams open as its plan allows.',
    remedy: 'Close a stream, or read the event log page by page.',
  },
  internal: { cause: 'The service has an internal error.', remedy: 'Report the error with its `trace_id`.' },
  not_implemented: { cause: 'The operation is not available yet.', remedy: 'Use another operation.' },
  target_failed: {
    cause: 'The action was called and its target failed.',
    remedy: 'Read `error` of the execution. Send a new request for a new attempt.',
  },
  unavailable: {
    cause: 'A dependency did not answer in time. Nothing was changed, or `detail` says so.',
    remedy: 'Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key`.',
  },
  decide_singly: {
    cause: 'The action pays, deletes, deploys, changes permissions, or has a risk of 85 or more.',
    remedy: 'Read the action, and approve it with a request of its own.',
  },
  busy: {
    cause: 'The service has too many requests at once. Nothing was changed.',
    remedy: 'Repeat the request after `Retry-After` seconds with the same `Idempotency-Key`, and send fewer requests.',
  },
  timeout: {
    cause: 'The request took too long.',
    remedy: 'Check whether the request had its effect, or repeat it with the same `Idempotency-Key`.',
  },
} satisfies Record<string, Meaning>

/** CommonMark. */
export const CODE_TABLE = [
  '| Code | Cause | What to do |',
  '|---|---|---|',
  ...Object.entries(CODES).map(([code, { cause, remedy }]) => `| \`${code}\` | ${cause} | ${remedy} |`),
].join('\n')
