// Hits: a row for each action that a rule did not let pass, and sums of these rows by the hour and by the day; how they are
// read, and the folder that counts them. No decision reads them.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { firstId, timeOfId } from '../../base/lib/ids.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'
import { DECIDED, HIT_RESULTS, OUTCOMES } from '../../base/catalog/measure-words.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { MEASURES } from '../../base/catalog/measures.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import type { FoldedCommit, Folder } from '../fold/folder.ts'
import type { SumItem } from '../../base/kernel/count.ts'

type Of = Space & { policy_id: string }

const DAY_S = 86_400

/** Ids of built-in rules hold names that people have chosen. */
const part = (policy_id: string) => encodeURIComponent(policy_id.toWellFormed())

const hits = entity({
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

const hitItem = (of: Of, request_id: string) => {
  const at = timeOfId(request_id)
  const pk = hitsOfDay(of, iso(at).slice(0, 10))
  return { pk, sk: request_id, type: hits.name, ttl: Math.floor(at / 1_000) + HIT_DAYS * DAY_S }
}

/** The actions that an item sums up. `agent_id` is absent for a person without an agent. */
type HitAbout = { node_id: string; action_id: string; agent_id?: string; result: string }

export const PERIODS = {
  hours: { name: 'HITHOUR', letters: 13, keptDays: 3, ms: 3_600_000 },
  days: { name: 'HITDAY', letters: 10, keptDays: 400, ms: 86_400_000 },
} as const
export type HitPeriod = keyof typeof PERIODS

const sumsPartition = (of: Of, period: HitPeriod): string => spaceKey(of, PERIODS[period].name, part(of.policy_id))

/** The first part of the sort keys of an hour or day. */
const periodOf = (period: HitPeriod, at: number): string => iso(at).slice(0, PERIODS[period].letters)

/** The sums of one node, action, agent and result in an hour or a day: `n`, `unknown`, and changes as `AUTO->HARD`. */
const hitSums = entity({
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

/** Agents that only requests name may have any name, so there may be any number of sums. */
const SUMS_MAX = 30_000

/** The sums from the beginning of an hour or a day on. `complete` is false when there are more. */
export async function readSums(
  { table, space }: Context,
  policy_id: string,
  { period, from }: { period: HitPeriod; from: number },
): Promise<{ sums: HitSum[]; complete: boolean }> {
  const pk = sumsPartition({ ...space, policy_id }, period)
  const sums = await table.query(hitSums, { pk, from: periodOf(period, from), limit: SUMS_MAX + 1 })
  return { sums: sums.slice(0, SUMS_MAX), complete: sums.length <= SUMS_MAX }
}

type Newest = { from: number; limit: number }

/** Ids of the executions since an instant (ms), newest first, at most `limit`. */
export const newestHits = async (ctx: Context, policy_id: string, newest: Newest): Promise<string[]> =>
  (await newestRows(ctx, policy_id, newest)).map(({ sk }) => sk)

/** Their rows. */
export async function newestRows(ctx: Context, policy_id: string, { from, limit }: Newest) {
  const found: z.output<(typeof hits)['schema']>[] = []
  const least = firstId('exe', from)
  for (const day of hitDays(ctx.now()).filter((one) => one >= iso(from).slice(0, 10))) {
    const pk = hitsOfDay({ ...ctx.space, policy_id }, day)
    const rows = await ctx.table.query(hits, { pk, from: least, descending: true, limit: limit - found.length })
    found.push(...rows)
    if (found.length >= limit) break
  }
  return found
}

export const HITS_FOLDER = 'hits'

/** Counts the hits of a space over its event log, each action once. */
export const hitsFolder = (space: Space): Folder => ({
  name: HITS_FOLDER,
  fold(commit, sums) {
    const asked = commit.events.find((event) => event.type === 'action.requested')
    if (!asked) return
    const { request_id, node_id, action_id, agent_id } = asked.data
    const decided = decidedIn(commit)
    for (const { policy_id, result, otherwise, shadow, unknown, undo } of hitsIn(commit)) {
      const of = { ...space, policy_id }
      const row = hitItem(of, request_id)
      sums.add(row, 'n', 1)
      sums.add(row, 'undo', undo)
      const about = { node_id, action_id, ...(agent_id !== null && { agent_id }), result }
      for (const period of ['hours', 'days'] as const) {
        const item = sumItem(of, period, { at: timeOfId(request_id), about })
        sums.add(item, 'n', 1)
        sums.add(item, 'unknown', unknown)
        const [from, to] = shadow ? [decided, otherwise] : [otherwise, decided]
        if (decided !== undefined && from !== to) sums.add(item, `${from}->${to}`, 1)
      }
    }
  },
})

function hitsIn({ measures }: FoldedCommit) {
  return measures.flatMap((one) => {
    const hit = MEASURES.h.safeParse(one).data
    if (!hit) return []
    const [, policy_id, result, otherwise, shadow, unknown, undo] = hit
    const name = `${shadow ? 'shadow:' : ''}${HIT_RESULTS[result]}`
    return [{ policy_id, result: name, otherwise: DECIDED[otherwise], shadow, unknown, undo }]
  })
}

/** How the action of a commit was decided; undefined where the commit does not say. */
function decidedIn({ measures }: FoldedCommit): string | undefined {
  const [decided] = measures.flatMap((one) => {
    const { data } = MEASURES.d.safeParse(one)
    return data ? [OUTCOMES[data[2]] === 'rejected' ? 'REJECT' : TIERS[data[1]]] : []
  })
  return decided
}

function sumItem(
  of: Space & { policy_id: string },
  period: HitPeriod,
  { at, about }: { at: number; about: HitAbout },
): SumItem {
  const { name, keptDays } = PERIODS[period]
  const { node_id, action_id, agent_id = '', result } = about
  const hash = sha256Hex(JSON.stringify([node_id, action_id, agent_id, result])).slice(0, 16)
  return {
    pk: sumsPartition(of, period),
    sk: `${periodOf(period, at)}#${hash}`,
    type: name,
    ttl: Math.floor(at / 1_000) + keptDays * 86_400,
    about,
  }
}
