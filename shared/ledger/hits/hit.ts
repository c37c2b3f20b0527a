// What a rule did to actions: a row for each action that it did not let pass, and sums of them by the hour and by the day. Nothing
// is decided by them.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'

type Of = Space & { policy_id: string }

const DAY_S = 86_400

/** Ids of built-in rules hold names that people have chosen. */
const part = (policy_id: string) => encodeURIComponent(policy_id.toWellFormed())

export const hits = entity({
  name: 'HIT',
  unbound: 'bounded',
  /** `sk` is the id of the execution; `undo`: 1 where it undoes another. */
  schema: z.object({ pk: z.string(), sk: z.string(), undo: z.int().optional() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** Rows of one day, by the time in the ids of executions, so that they have the order of these ids. */
export const hitsOfDay = (of: Of, day: string): string => spaceKey(of, 'HIT', part(of.policy_id), day)

const HIT_DAYS = 35

/** The days whose rows are kept, newest first. */
export const hitDays = (now: number): string[] =>
  Array.from({ length: HIT_DAYS }, (_, back) => iso(now - back * DAY_S * 1_000).slice(0, 10))

export const hitItem = (of: Of, request_id: string) => {
  const at = timeOfId(request_id)
  const pk = hitsOfDay(of, iso(at).slice(0, 10))
  return { pk, sk: request_id, type: hits.name, ttl: Math.floor(at / 1_000) + HIT_DAYS * DAY_S }
}

/** What the sums of an item are of. `agent_id` is absent for a person without an agent. */
export type HitAbout = { node_id: string; action_id: string; agent_id?: string; result: string }

export const PERIODS = {
  hours: { name: 'HITHOUR', letters: 13, keptDays: 3, ms: 3_600_000 },
  days: { name: 'HITDAY', letters: 10, keptDays: 400, ms: 86_400_000 },
} as const
export type HitPeriod = keyof typeof PERIODS

export const sumsPartition = (of: Of, period: HitPeriod): string =>
  spaceKey(of, PERIODS[period].name, part(of.policy_id))

/** The first part of the sort keys of an hour or day. */
export const periodOf = (period: HitPeriod, at: number): string => iso(at).slice(0, PERIODS[period].letters)

/** The sums of one node, action, agent and result in an hour or a day: `n`, `unknown`, and changes as `AUTO->HARD`. */
export const hitSums = entity({
  name: 'HITDAY',
  unbound: 'bounded',
  schema: z.looseObject({
    sk: z.string(),
    node_id: z.string(),
    action_id: z.string(),
    agent_id: z.string().optional(),
    result: z.string(),
    n: z.int(),
    unknown: z.int().optional(),
  }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})
export type HitSum = z.output<(typeof hitSums)['schema']>
