// The lists of words that measures refer to by position. Apart from the shapes, which only the worker that counts has to load.

/** Members are the position of a word in its list. A list may only grow at its end: stored measures keep their meaning. */
export const OUTCOMES = ['run', 'held', 'rejected'] as const
export const RESULTS = ['ok', 'failed', 'unknown'] as const
export const ENDS = ['approved', 'rejected', 'expired', 'cancelled'] as const
export const SLA_RESULTS = ['none', 'hit', 'missed'] as const
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export const DIRECTIONS = ['input', 'output', 'dataset'] as const
export const PII_ACTIONS = ['detected', 'redacted', 'blocked'] as const
export const PII_TYPES = ['SECRET', 'EMAIL', 'IBAN', 'CREDIT_CARD', 'US_SSN', 'DATE_OF_BIRTH', 'IP', 'PHONE'] as const
/** What an action adds to the conduct of its requester. */
export const CONDUCT = ['ok', 'approved', 'rejected', 'failed', 'undone', 'violations'] as const

/** What a live test of two models counts. */
export const TRIED = ['assigned', 'agreement', 'approval_rate', 'undo_rate', 'failure_rate'] as const

/** The result of a policy that did not let an action pass. */
export const HIT_RESULTS = [
  'forbid',
  'require_approval',
  'min_tier:SOFT',
  'min_tier:HARD',
  'require_undo',
  'relax:AUTO',
  'relax:SOFT',
  'indeterminate',
] as const
/** How an action is decided. */
export const DECIDED = ['AUTO', 'SOFT', 'HARD', 'REJECT'] as const

/** Name of a series that a tenant counts itself. */
export const CUSTOM_NAME = /^[a-z][a-z0-9_]{0,40}$/

/** The position of a word, as a measure states it. */
export const place = <W extends string>(list: readonly W[], wanted: W): number => list.indexOf(wanted)
