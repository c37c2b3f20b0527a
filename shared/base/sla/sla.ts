// The SLA of one piece of work: two clocks that run while somebody could work on it. What is stored is how much time is used
// up, so a pause or another policy needs no history. Pure: times decide, whenever somebody comes to look.
import * as z from 'zod'
import { iso } from '../lib/clock.ts'
import { add, between } from './business-hours.ts'
import { type Escalation, type SlaPolicy, targetsOf } from './policy.ts'

export const SLA_CLOCKS = ['first_response', 'resolution'] as const
export type SlaClock = (typeof SLA_CLOCKS)[number]

export const SLA_STATUSES = ['active', 'active_with_misses', 'hit', 'missed', 'none'] as const

export const Sla = z.object({
  policy_id: z.string().describe('Id of the policy.'),
  status: z.enum(SLA_STATUSES).describe('The current state.'),
  /** Null while the clocks are paused, and when they have ended. */
  first_response_due_at: z
    .string()
    .nullable()
    .describe('When somebody should first work on it. Null while no clock runs.'),
  resolution_due_at: z.string().nullable().describe('When it should be resolved. Null while no clock runs.'),
  first_response_at: z.string().optional().describe('When somebody first worked on it.'),
  consumed_ms: z.int().describe('The time already counted before `running_since`, in ms.'),
  running_since: z.string().nullable().describe('Since when the clocks run. Null while they are paused.'),
  /** Clocks that ran out, which is never taken back; left out while there is none. */
  breaches: z.array(z.enum(SLA_CLOCKS)).optional(),
  /** Those of them that were dealt with. */
  reported: z.array(z.enum(SLA_CLOCKS)).optional(),
  /** Percentages at which something was done; left out while there is none. */
  escalated: z.array(z.int()).optional(),
})
export type Sla = z.output<typeof Sla>

export function startSla(policy: SlaPolicy, now: number): Sla {
  const stopped = { policy_id: policy.id, status: 'active', consumed_ms: 0 } as const
  return running({ ...stopped, ...PAUSED }, policy, now)
}

const PAUSED = { running_since: null, first_response_due_at: null, resolution_due_at: null }

/** The due times under a policy, from now on. */
function running(sla: Sla, policy: SlaPolicy, now: number): Sla {
  const targets = targetsOf(policy)
  const due = (clock: SlaClock) => iso(add(policy.business_hours, now, targets[clock] - sla.consumed_ms))
  return {
    ...sla,
    policy_id: policy.id,
    running_since: iso(now),
    first_response_due_at: sla.first_response_at === undefined ? due('first_response') : null,
    resolution_due_at: due('resolution'),
  }
}

/** With every clock that has run out by now. Comes first in each change, since the change may move the due times. */
export function observed(sla: Sla, now: number): Sla {
  const at = iso(now)
  const known = sla.breaches ?? []
  const breaches = SLA_CLOCKS.filter((clock) => known.includes(clock) || isPast(sla[`${clock}_due_at`], at))
  if (breaches.length === known.length) return sla
  return { ...sla, breaches, status: sla.status === 'active' ? 'active_with_misses' : sla.status }
}

const isPast = (due: string | null, at: string): boolean => due !== null && due <= at

/** Somebody has begun with it: the first clock stops for good. */
export function answered(was: Sla, now: number): Sla {
  const sla = observed(was, now)
  if (sla.first_response_at !== undefined) return sla
  return { ...sla, first_response_at: iso(now), first_response_due_at: null }
}

/** Nobody can work on it: both clocks pause. */
export function paused(was: Sla, policy: SlaPolicy, now: number): Sla {
  const sla = observed(was, now)
  return { ...sla, consumed_ms: consumedBy(sla, policy, now), ...PAUSED }
}

/** Time that has counted until now (ms). */
const consumedBy = ({ consumed_ms, running_since }: Sla, { business_hours }: SlaPolicy, now: number): number =>
  consumed_ms + (running_since === null ? 0 : between(business_hours, Date.parse(running_since), now))

/** Somebody can work on it again, be it after an end. */
export function resumed(was: Sla, policy: SlaPolicy, now: number): Sla {
  const sla = observed(was, now)
  if (sla.running_since !== null) return sla
  return running({ ...sla, status: sla.breaches ? 'active_with_misses' : 'active' }, policy, now)
}

/** Under another policy, with what was used up under the former one. */
export function retargeted(was: Sla, from: SlaPolicy, to: SlaPolicy, now: number): Sla {
  if (from.id === to.id) return was
  const stopped = paused(was, from, now)
  return was.running_since === null ? { ...stopped, policy_id: to.id } : running(stopped, to, now)
}

/** The work is over: done (`hit` or `missed`), or dropped (`none`). */
export function ended(was: Sla, policy: SlaPolicy, now: number, outcome: 'done' | 'dropped'): Sla {
  const sla = paused(was, policy, now)
  if (outcome === 'dropped') return { ...sla, status: 'none' }
  return { ...sla, status: sla.breaches ? 'missed' : 'hit' }
}

/** When somebody has to look at it next (ISO): at once, where a clock ran out and nobody has dealt with it. */
export function nextLook(sla: Sla, policy: SlaPolicy, now: number): string | undefined {
  if (unreported(sla).length > 0) return iso(now)
  if (sla.running_since === null) return undefined
  const { breaches = [] } = sla
  const clocks = SLA_CLOCKS.flatMap((clock) => (breaches.includes(clock) ? [] : (sla[`${clock}_due_at`] ?? [])))
  return [...clocks, ...escalationsOf(sla, policy).map(({ at }) => at)].toSorted()[0]
}

const unreported = ({ breaches = [], reported = [] }: Sla): SlaClock[] =>
  breaches.filter((clock) => !reported.includes(clock))

/** Escalations that are still to come, with the instant (ISO) at which so much of the time to resolve is used up. */
function escalationsOf({ running_since, consumed_ms, escalated = [] }: Sla, policy: SlaPolicy) {
  if (running_since === null) return []
  const { resolution } = targetsOf(policy)
  return policy.escalations
    .filter(({ after_percent }) => !escalated.includes(after_percent))
    .map((escalation) => {
      const left = Math.round((resolution * escalation.after_percent) / 100) - consumed_ms
      return { escalation, at: iso(add(policy.business_hours, Date.parse(running_since), left)) }
    })
}

/** The SLA after everything that is due by now was dealt with, and what that was: each of it once. */
export function dealtWith(
  was: Sla,
  policy: SlaPolicy,
  now: number,
): { sla: Sla; missed: SlaClock[]; escalations: Escalation[] } {
  const sla = observed(was, now)
  const missed = unreported(sla)
  const escalations = escalationsOf(sla, policy)
    .filter(({ at }) => at <= iso(now))
    .map(({ escalation }) => escalation)
  const escalated = [...(sla.escalated ?? []), ...escalations.map(({ after_percent }) => after_percent)]
  return {
    sla: {
      ...sla,
      ...(missed.length > 0 && { reported: sla.breaches }),
      ...(escalations.length > 0 && { escalated }),
    },
    missed,
    escalations,
  }
}

/** Its state at an instant, also where the sweeper has not stored it yet. */
export const slaView = (sla: Sla, now: number) => {
  const { breaches = [], escalated = [], reported: _, ...rest } = observed(sla, now)
  return { ...rest, breaches, escalated }
}

export const SlaView = Sla.omit({ reported: true }).extend({
  breaches: z.array(z.enum(SLA_CLOCKS)).describe('The clocks that ran out. A miss is never removed.'),
  escalated: z.array(z.int()).describe('Percentages of the time to resolve at which an escalation was carried out.'),
})
