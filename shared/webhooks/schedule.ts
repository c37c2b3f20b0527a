// When a failed delivery is tried again (access-events-limits.md, "Delivery rules"): Fibonacci multiples of a base.

/** Multiples of the base before retry 1 … 7. */
export const FIBONACCI_RETRIES = [1, 1, 2, 3, 5, 8, 13] as const

export const RETRY_BASE_SECONDS = 60

/** Attempts after the first one. */
export const MAX_RETRIES = FIBONACCI_RETRIES.length
