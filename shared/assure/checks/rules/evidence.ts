// Checks of the evidence itself: the chain, its signatures, and the audit log beside it.
import type { ChainFacts } from '../../../base/ports/check-facts.ts'
import { type Finding, noData, notApplicable, stateCheck } from '../check.ts'
import { days, finding, hours, isBeyond, isWithin, minutes, setting } from './kinds.ts'

/** A day, and the time that a pass takes. */
const VERIFIED = hours(26)
const SIGNED = minutes(60)
const REVIEWED = days(30)

/**
 * How long evidence must be kept: six years is in the text of HIPAA, six months in articles 19 and 26; the 365 days are our
 * floor.
 */
const KEPT_DAYS: Readonly<Record<string, number>> = {
  soc2: 365,
  iso27001: 365,
  iso42001: 365,
  hipaa: 2_190,
  eu_ai_act: 183,
}

/** A part of one state: `id` names what does not hold. */
type Part = { id: string; holds: boolean }

function allOf(parts: readonly Part[], detail: string): Finding {
  const failing = parts.filter(({ holds }) => !holds).map(({ id }) => id)
  return finding(failing.length === 0, detail, {
    numerator: parts.length - failing.length,
    denominator: parts.length,
    failing,
  })
}

/** Within the first day of a tenant nothing need be verified yet. */
const isNew = (created_at: string, { size }: ChainFacts, now: number): boolean =>
  size === 0 || isWithin(created_at, VERIFIED, now)

const NOT_YET = 'Nothing was verified yet.'

export const evidenceItself = {
  'EVD-01': stateCheck(['chain', 'settings'], ({ chain, settings: { created_at } }, { now }) => {
    const { last_full: last, broken } = chain
    if (!last && !broken && isNew(created_at, chain, now)) return noData(NOT_YET)
    return allOf(
      [
        { id: 'last full verification', holds: last !== null && last.valid && isWithin(last.at, VERIFIED, now) },
        { id: 'chain as it is signed', holds: !broken },
      ],
      last
        ? `The last full verification at ${last.at} found the chain ${last.valid && !broken ? 'valid' : 'broken'}.`
        : 'The chain was never verified in full.',
    )
  }),

  'EVD-02': stateCheck(['chain'], ({ chain: { checkpoint, oldest_unsigned_at: oldest, broken } }, { now }) => {
    const isLate = oldest !== null && isBeyond(oldest, SIGNED, now)
    if (!checkpoint && !isLate && !broken) return noData('Nothing was signed yet.')
    return allOf(
      [
        { id: 'newest checkpoint', holds: checkpoint?.opens === true },
        { id: 'artifacts older than 60 min', holds: !isLate },
        { id: 'chain as it is signed', holds: !broken },
      ],
      checkpoint
        ? `The newest checkpoint covers ${checkpoint.size} artifacts; ${isLate ? `one of ${oldest} is` : 'none older than 60 min is'} unsigned.`
        : 'There is no checkpoint.',
    )
  }),

  'EVD-03': stateCheck(['chain', 'settings'], ({ chain, settings: { created_at } }, { now }) => {
    const { completeness: last } = chain
    if (!last && isNew(created_at, chain, now)) return noData(NOT_YET)
    return allOf(
      [{ id: 'last completeness pass', holds: last !== null && last.complete && isWithin(last.at, VERIFIED, now) }],
      last
        ? `The last completeness pass at ${last.at} found ${last.complete ? 'every state with its artifacts' : 'gaps'}.`
        : 'No completeness pass has ended.',
    )
  }),

  'EVD-04': stateCheck(['backups', 'frameworks'], ({ backups, frameworks }) => {
    if (!backups) return notApplicable('This platform locks no evidence.')
    const needed = Math.max(0, ...frameworks.map((id) => KEPT_DAYS[id] ?? 0))
    return setting({
      holds: backups.lock && backups.lock_days >= needed,
      detail: `Evidence is locked for ${backups.lock ? backups.lock_days : 0} days; the enabled frameworks ask for ${needed}.`,
      failing: frameworks.filter((id) => !backups.lock || (KEPT_DAYS[id] ?? 0) > backups.lock_days),
    })
  }),

  'EVD-05': stateCheck(['audit_entries'], ({ audit_entries: { artifacts, entries, lost } }) => {
    if (artifacts === 0 && entries === 0) return noData('Nothing administrative was recorded yet.')
    const missing = Math.max(0, artifacts - entries)
    const found = finding(
      missing === 0 && lost.length === 0,
      `${artifacts} administrative artifacts are in the chain, and ${entries} entries of the audit log name one.`,
      { numerator: artifacts - missing, denominator: artifacts, failing: lost },
    )
    return { ...found, failing_count: Math.max(missing, lost.length) }
  }),

  'EVD-06': stateCheck(['audit_reads', 'settings'], ({ audit_reads, settings: { created_at } }, { now }) => {
    const reads = audit_reads.filter(({ at }) => isWithin(at, REVIEWED, now))
    if (reads.length === 0 && isWithin(created_at, REVIEWED, now)) return noData('The tenant is younger than 30 days.')
    return setting({
      holds: reads.length > 0,
      detail: `People read or exported the audit log ${reads.length} times within 30 days.`,
    })
  }),
}
