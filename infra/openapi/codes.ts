// Every code of a refusal with its cause and remedy. The table and the enumeration of the reference are made from it.

type Meaning = { cause: string; remedy: string }

export const CODES = {
  malformed: {
    cause: 'The body is no JSON object, or a parameter or header cannot be read.',
    remedy: 'Mend the request as `detail` says; repeating it as it is will fail again.',
  },
  missing_field: { cause: 'A required member is missing.', remedy: 'Add the members that `errors` lists.' },
  invalid_cursor: {
    cause: 'The cursor was changed, is too old, or was made with other filters.',
    remedy: 'Begin again without a cursor.',
  },
  unauthenticated: {
    cause: 'There is no credential, there are two, or it is unknown, expired or revoked.',
    remedy: 'Send one valid key or token, or sign in again.',
  },
  forbidden: {
    cause: 'The credential is valid and lacks a right, or the rule that `detail` names does not allow this.',
    remedy: 'Use a credential with the permission that `detail` names, or ask an administrator for it.',
  },
  plan_limit: {
    cause: 'The plan of the tenant allows no more of these.',
    remedy: 'Remove one, or change the plan.',
  },
  plan_feature: { cause: 'The plan of the tenant does not include this.', remedy: 'Change the plan.' },
  ip_not_allowed: {
    cause: 'The tenant lets no requests in from this address.',
    remedy: 'Call from a listed network, or have an administrator list this one.',
  },
  policy_rejected: {
    cause: 'A policy forbids the action.',
    remedy: 'Read `receipt.policy_evaluations` to see which one. Repeating the request will not help.',
  },
  not_found: {
    cause: 'It does not exist, or belongs to another tenant or mode.',
    remedy: 'Check the id and whether the key is a live or a test key.',
  },
  method_not_allowed: {
    cause: 'The path exists and does not take this method.',
    remedy: 'Use a method that `Allow` lists.',
  },
  conflict: {
    cause: 'Its state does not allow this, or it changed meanwhile.',
    remedy: 'Read it again, then decide whether to repeat the request.',
  },
  already_exists: { cause: 'There is one with this name or id.', remedy: 'Use the existing one, or another name.' },
  version_conflict: {
    cause: '`If-Match` names another version than the present one.',
    remedy: 'Read it again, apply your change to what you find, and send the new tag.',
  },
  idempotency_in_progress: {
    cause: 'A request with this `Idempotency-Key` is still being worked on.',
    remedy: 'Repeat it after `Retry-After` seconds.',
  },
  precondition: { cause: 'A condition of the request does not hold.', remedy: 'Read the resource again.' },
  too_large: { cause: 'The body is larger than this operation takes.', remedy: 'Send less, or in parts.' },
  invalid: {
    cause: 'The body is well-formed and breaks rules.',
    remedy: 'Mend every member that `detail` lists.',
  },
  idempotency_mismatch: {
    cause: 'The `Idempotency-Key` was used for another request.',
    remedy: 'Use a new key for a new request.',
  },
  rate_limited: {
    cause: 'A rate limit is reached.',
    remedy: 'Wait for `Retry-After` seconds; then try at most three times, each time longer and with jitter.',
  },
  stream_limit: {
    cause: 'The tenant has as many event streams open as its plan allows.',
    remedy: 'Close one, or read the event log page by page.',
  },
  quota_exceeded: {
    cause: 'The quota of the period is used up.',
    remedy: 'Wait for the next period, or change the plan.',
  },
  internal: { cause: 'The fault is ours.', remedy: 'Report it with the `trace_id`.' },
  not_implemented: { cause: 'The operation is not available yet.', remedy: 'Do without it.' },
  target_failed: {
    cause: 'The action was called and its target failed.',
    remedy: 'Read `error` of the execution; a new request makes a new attempt.',
  },
  unavailable: {
    cause: 'A dependency did not answer in time. Nothing was changed, or `detail` says so.',
    remedy: 'Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key`.',
  },
  busy: {
    cause: 'More is being asked for than can be done at once. Nothing was changed.',
    remedy: 'Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key`, and then less often.',
  },
  timeout: {
    cause: 'The request took too long.',
    remedy: 'Look whether it had its effect, or repeat it with the same `Idempotency-Key`.',
  },
} satisfies Record<string, Meaning>

/** CommonMark. */
export const CODE_TABLE = [
  '| Code | Cause | What to do |',
  '|---|---|---|',
  ...Object.entries(CODES).map(([code, { cause, remedy }]) => `| \`${code}\` | ${cause} | ${remedy} |`),
].join('\n')
