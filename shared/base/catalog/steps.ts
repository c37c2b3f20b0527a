// What each space does once an hour or once a day. The worker `steps` knows how.

export type Period = 'hour' | 'day'

export const STEPS = {
  /** Verifies the chain in full, and that every state has its evidence. */
  verification: 'day',
  /** Looks up the domains of the tenant. */
  domains: 'day',
} as const satisfies Record<string, Period>

export type StepName = keyof typeof STEPS
export const stepNames = Object.keys(STEPS) as StepName[] // keys of the constant itself
