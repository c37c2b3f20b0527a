// The trust of an actor as a decision uses it. Of two actors each figure is the smaller, so naming an agent only tightens.
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import type { Conduct } from '../../ledger/conduct/conduct.ts'
import { trustOf } from '../governance/decide/evaluation.ts'

/** `trust`: 0 to 100. `executions`: how many actions ran, ever. `hours_known`: since the first of them; absent for the past. */
export type Standing = { trust: number; executions: number; hours_known?: number | undefined }

const WINDOW_MS = 29 * 86_400_000
const NONE = { ok: 0, failed: 0, undone: 0, rejected: 0, violations: 0 }

/** Today and the 29 days before. Without conduct: that of a stranger. */
export function standingOf(conduct: Conduct | undefined, now: number): Required<Standing> {
  const since = iso(now - WINDOW_MS).slice(0, 10)
  const sum = (conduct?.days ?? []).reduce(
    (total, { day, ok, failed, undone, rejected, violations }) =>
      day < since
        ? total
        : {
            ok: total.ok + ok,
            failed: total.failed + failed,
            undone: total.undone + undone,
            rejected: total.rejected + rejected,
            violations: total.violations + violations,
          },
    NONE,
  )
  return { trust: trustOf(sum), executions: conduct?.executions ?? 0, hours_known: hoursKnown(conduct, now) }
}

/** A stranger is known for no hour. */
const hoursKnown = (conduct: Conduct | undefined, now: number): number =>
  conduct ? Math.max(0, (now - Date.parse(conduct.first_at)) / HOUR_MS) : 0

/** Undefined for a person alone, who is no actor. */
export function standingOfAll(conducts: readonly (Conduct | undefined)[], now: number): Standing | undefined {
  const [first, ...others] = conducts.map((conduct) => standingOf(conduct, now))
  return (
    first &&
    others.reduce(
      (least, { trust, executions, hours_known }) => ({
        trust: Math.min(least.trust, trust),
        executions: Math.min(least.executions, executions),
        hours_known: Math.min(least.hours_known, hours_known),
      }),
      first,
    )
  )
}
