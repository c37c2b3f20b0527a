// What decisions read of learning, and what they keep of it: the models in their slots (one item of a tenant and mode), the arm of a live
// test, the trust of an actor, and the values that an execution used.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Learned as LearnedOfAction } from './learned-for.ts'
import { hex } from '../../ledger/evidence/artifact/hashes.ts'
import { fnv1a32 } from '../../base/lib/json.ts'
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import type { Conduct } from '../../ledger/conduct/conduct.ts'
import { trustOf } from '../governance/decide/evaluation.ts'

/** A model file: where it is in the bucket, and the SHA-256 (hex) without which it is not used. */
const Placed = z.object({ model_id: z.string(), version: z.int(), sha256: z.string(), uri: z.string() })

/** A second model that a test compares with the one in the slot. `split_b`: its share of the units. */
const SlotTestShape = Placed.extend({
  id: z.string(),
  split_b: z.number(),
  unit: z.enum(['agent', 'execution', 'user']),
  /** It changes nothing; else it decides for its share. */
  shadow: z.boolean(),
})
export type SlotTest = z.output<typeof SlotTestShape>

export const PlacedModel = Placed.extend({ test: SlotTestShape.optional() })
export type PlacedModel = z.output<typeof PlacedModel>

export const Learned = z.lazy(() => z.object({ ...spaceMembers, slots: z.record(z.string(), PlacedModel) }))

export const learnedItems = entity({
  name: 'LEARNED',
  unbound: 'bounded',
  schema: Learned,
  key: (space: Space) => ({ pk: spaceKey(space), sk: 'LEARNED' }),
})

/** The slot of decisions for which no persona names one. */
export const USUAL_SLOT = 'approval-scorer'

/** The learnt values that a decision used. A repeated evaluation of the past uses these, not those of its day. */
export type Used = {
  trust: number | null
  executions: number | null
  persona: string | null
  rule: string | null
  model: { slot: string; version: number; score: number | null } | null
  /** People are asked even if the model expects an approval: only then does their answer judge it. */
  held_anyway: boolean
  /** The other model of a test. */
  test: { id: string; score: number } | null
  /** Of a live test: whose model decided. */
  drawn: Drawn | null
}

/** As an execution keeps it: a list in one text, because each byte of an execution is paid for. Undefined where nothing was used. */
export function packUsed(
  { standing, persona, routing, model }: LearnedOfAction,
  held_anyway = false,
): string | undefined {
  const shadow = held_anyway ? model?.shadow : undefined
  const drawn = model?.drawn
  const all = [
    standing?.trust,
    standing?.executions,
    persona?.persona_key,
    routing?.update_id,
    model?.slot,
    model?.version,
    model?.probability,
    held_anyway && model?.probability !== undefined ? 1 : undefined,
    shadow?.probability === undefined ? drawn?.test_id : shadow.test_id,
    shadow?.probability,
    drawn && ARMS.indexOf(drawn.arm),
    drawn?.unit,
  ]
  const length = all.findLastIndex((one) => one !== undefined) + 1
  return length === 0 ? undefined : JSON.stringify(all.slice(0, length).map((one) => one ?? null))
}

type Packed = [
  trust?: number | null,
  executions?: number | null,
  persona?: string | null,
  rule?: string | null,
  slot?: string | null,
  version?: number | null,
  score?: number | null,
  held?: number | null,
  test_id?: string | null,
  test_score?: number | null,
  arm?: number | null,
  unit?: string | null,
]

export function unpackUsed(text: string | undefined): Used {
  const packed: Packed = text === undefined ? [] : JSON.parse(text)
  const [trust = null, executions = null, persona = null, rule = null, slot = null, version = null, score = null] =
    packed
  const [, , , , , , , held = null, test_id = null, test_score = null, place = null, unit = null] = packed
  const arm = place === null ? undefined : ARMS[place]
  return {
    trust,
    executions,
    persona,
    rule,
    model: slot === null ? null : { slot, version: version ?? 0, score },
    held_anyway: held === 1,
    test: test_id === null || test_score === null ? null : { id: test_id, score: test_score },
    drawn: test_id === null || !arm ? null : { test_id, arm, unit: unit ?? undefined },
  }
}

/**
 * The arm of a live test that decides on an execution. An agent or a user always has the same; that of an execution is drawn once and
 * kept with it. `unit`: the agent or user; none where each execution is its own.
 */
export type Drawn = { test_id: string; arm: Arm; unit?: string | undefined }

/** Whom a decision is for. `drawn`: the arm that it had before. */
export type Units = { agent: string; user: string; drawn?: Drawn | undefined }

type Requester = { requested_by: { type: string; id: string }; persons: readonly string[] }

/** The agent is the one that the credential proves, never one that a request names: else a caller could choose its arm. */
export const unitsOf = (
  { requested_by: { type, id }, persons }: Requester,
  actors: readonly string[],
  drawn?: Drawn,
): Units => ({ agent: actors[0] ?? `${type}:${id}`, user: persons[0] ?? `${type}:${id}`, drawn })

const BYTES = 8

export function drawnIn(ctx: Pick<Context, 'random'>, test: SlotTest, { drawn, ...units }: Units): Drawn {
  if (drawn?.test_id === test.id) return drawn
  const unit = test.unit === 'execution' ? undefined : units[test.unit]
  return { test_id: test.id, arm: armOf(test, unit ?? hex(ctx.random(BYTES))), unit }
}

export const ARMS = ['a', 'b'] as const
export type Arm = (typeof ARMS)[number]

const BUCKETS = 10_000

/** 0 to 0.9999, in equal shares. */
export const bucketOf = (testId: string, unitId: string): number =>
  (fnv1a32(String(fnv1a32(testId + unitId))) % BUCKETS) / BUCKETS

/** The arm of a unit, by the hash of GrowthBook, version 2: the same unit always gets the same arm. `split_b`: the share of units that get B. */
export const armOf = (test: { id: string; split_b: number }, unitId: string): Arm =>
  bucketOf(test.id, unitId) < test.split_b ? 'b' : 'a'

/** `trust`: 0 to 100. `executions`: how many actions ran, ever. `hours_known`: since the first of them; absent for the past. */
export type TrustRecord = { trust: number; executions: number; hours_known?: number | undefined }

const WINDOW_MS = 29 * 86_400_000
const NONE = { ok: 0, failed: 0, undone: 0, rejected: 0, violations: 0 }

/** Today and the 29 days before. Without conduct: that of a stranger. */
export function trustRecordOf(conduct: Conduct | undefined, now: number): Required<TrustRecord> {
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

/** Of two actors each figure is the smaller, so naming an agent only tightens. Undefined for a person alone, who is no actor. */
export function trustRecordOfAll(conducts: readonly (Conduct | undefined)[], now: number): TrustRecord | undefined {
  const [first, ...others] = conducts.map((conduct) => trustRecordOf(conduct, now))
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
