// Limits that hold for everybody and that `GET /api/claims` publishes. What enforces one imports it from here, so the two cannot
// differ.

/** The longest life of a key, so that a forgotten one stops working. */
export const KEY_LIFETIME_DAYS = 90
export const ACCESS_SECONDS = 900
/** Where the tenant sets none of its own. */
export const REFRESH_SECONDS = 604_800
export const UNDO_WINDOW_MS = 30_000
/** Where neither a policy nor the tenant sets one. */
export const APPROVAL_SECONDS = 86_400
/** The API specification: the receiver must answer 2xx within 5 seconds. */
export const WEBHOOK_DEADLINE_MS = 5_000
/** Multiples of the base before retry 1 … 7 of a delivery. */
export const FIBONACCI_RETRIES = [1, 1, 2, 3, 5, 8, 13] as const
export const SCIM_RESULTS_MAX = 200
