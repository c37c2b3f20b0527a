// Locks an authenticator app after wrong codes. Pure; instants in ms.
const FAILURES_MAX = 5
const WITHIN_MS = 5 * 60_000
const LOCKED_MS = 15 * 60_000

export type Lock = { failures: number[]; locked_until: number }

export const UNLOCKED: Lock = { failures: [], locked_until: 0 }

/** After one more wrong code: the fifth within five minutes locks for fifteen. */
export function afterFailure({ failures }: Pick<Lock, 'failures'>, now: number): Lock {
  const recent = [...failures.filter((at) => at > now - WITHIN_MS), now]
  return recent.length < FAILURES_MAX
    ? { failures: recent, locked_until: 0 }
    : { failures: [], locked_until: now + LOCKED_MS }
}
