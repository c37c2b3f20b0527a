// All that is stored about the frameworks of a space, and how it is read: two partitions, in one query each.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Context, Space } from '../../base/context.ts'
import { entity, key, padded, spaceKey, type Stored } from '../../base/table/entity.ts'
import { notFound } from '../../base/lib/failure.ts'
import { FRAMEWORK_IDS, type FrameworkId } from '../catalogue/framework-ids.ts'
import { type CheckResult, checkResults, compliancePartition } from '../checks/check-result.ts'
import { type LinkNow, linksNow } from '../submissions/link.ts'
import { type ControlRecord, controlRecords, type Framework, frameworks } from './framework.ts'
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import { CONTROL_STATUSES } from './control-view.ts'

const status = z.enum(CONTROL_STATUSES)
const members = { ...spaceMembers, framework_id: z.enum(FRAMEWORK_IDS) }
type Of = Space & { framework_id: FrameworkId }

/**
 * The statuses that the last look at a framework found, so that the next one sees which have moved, and the last full run. Each
 * move is an item of its own, and so is the score of each day.
 */
export const StatusRecord = z.object({
  ...members,
  /** By the id of the control in paths; `at` is when it was first seen so. */
  statuses: z.record(z.string(), z.object({ status, at: z.string() })),
  /** The last full run while the framework was enabled. */
  last_run: z.object({ id: z.string(), ended_at: z.string() }).optional(),
})
export type StatusRecord = z.output<typeof StatusRecord>

/** One per framework, not per control: all moves of a framework are found and stored in one transaction. */
export const statusRecords = entity({
  name: 'STANDING',
  unbound: 'bounded',
  schema: StatusRecord,
  key: (of: Of) => ({ pk: compliancePartition(of), sk: key('STAND', of.framework_id) }),
})

export const Move = z.object({
  ...members,
  control_key: z.string(),
  /** Revision of the status record that it belongs to. */
  revision: z.int(),
  at: z.string(),
  from: status,
  to: status,
  reason: z.string(),
})
export type Move = z.output<typeof Move>

type OfControl = Of & { control_key: string }
export const movesPartition = (space: Space): string => spaceKey(space, 'COMPLIANCE', 'MOVES')
export const movesOf = ({ framework_id, control_key }: OfControl): string => `${key(framework_id, control_key)}#`

export const moves = entity({
  name: 'CONTROL_MOVE',
  unbound: 'bounded',
  schema: Move,
  key: (of: OfControl & { revision: number }) => ({
    pk: movesPartition(of),
    sk: `${movesOf(of)}${padded(of.revision)}`,
  }),
})

export const Point = z.object({ ...members, date: z.string(), score: z.number(), met: z.int(), total: z.int() })
export type Point = z.output<typeof Point>

export const pointsPartition = (of: Of): string => spaceKey(of, 'POSTURE', of.framework_id)

export const points = entity({
  name: 'POSTURE_POINT',
  unbound: 'bounded',
  schema: Point,
  key: (of: Of & { date: string }) => ({ pk: pointsPartition(of), sk: of.date }),
})

/** Of one framework, at one moment. */
export type FrameworkState = Space & {
  framework_id: FrameworkId
  now: number
  /** None: it was never enabled. */
  setting: Stored<Framework> | undefined
  standing: Stored<StatusRecord> | undefined
  /** By the id of the control in paths. */
  controls: ReadonlyMap<string, Stored<ControlRecord>>
  links: ReadonlyMap<string, readonly LinkNow[]>
  /** By the id of the check: those that count for it. */
  results: ReadonlyMap<string, CheckResult>
}

export const isEnabled = ({ setting }: Pick<FrameworkState, 'setting'>): boolean => setting?.enabled === true

type Item =
  | { kind: 'CHK'; item: CheckResult }
  | { kind: 'CTL'; item: Stored<ControlRecord> }
  | { kind: 'FW'; item: Stored<Framework> }
  | { kind: 'STAND'; item: Stored<StatusRecord> }

/** In the order of their sort keys. */
const FIRST = 'CHK#'
const LAST = 'STAND#~'

const anyItem = {
  key: (space: Space) => ({ pk: compliancePartition(space), sk: FIRST }),
  decode(attributes: Record<string, AttributeValue>): Item | undefined {
    const [kind] = attributes.sk?.S?.split('#') ?? []
    if (kind === 'CHK') return { kind, item: checkResults.decode(attributes) }
    if (kind === 'CTL') return { kind, item: controlRecords.decode(attributes) }
    if (kind === 'FW') return { kind, item: frameworks.decode(attributes) }
    return kind === 'STAND' ? { kind, item: statusRecords.decode(attributes) } : undefined
  },
}

/** Of all frameworks of the catalogue, in its order. */
export async function readStates(ctx: Context, now = ctx.now()): Promise<FrameworkState[]> {
  const [items, links] = await Promise.all([
    ctx.table.query(anyItem, { pk: compliancePartition(ctx.space), from: FIRST, to: LAST }),
    linksNow(ctx, now),
  ])
  return statesOf(ctx.space, now, { items: items.filter((item) => item !== undefined), links })
}

/** Throws 404 for an id that the catalogue does not have. */
export async function readState(ctx: Context, framework: string): Promise<FrameworkState> {
  const id = frameworkId(framework)
  const state = (await readStates(ctx)).find(({ framework_id }) => framework_id === id)
  if (!state) throw notFound('framework')
  return state
}

export function frameworkId(text: string): FrameworkId {
  const id = FRAMEWORK_IDS.find((one) => one === text)
  if (id === undefined) throw notFound('framework')
  return id
}

type Stock = { items: readonly Item[]; links: readonly LinkNow[] }

export function statesOf(space: Space, now: number, { items, links }: Stock): FrameworkState[] {
  const results = items.flatMap((one) => (one.kind === 'CHK' ? [one.item] : []))
  const records = items.flatMap((one) => (one.kind === 'CTL' ? [one.item] : []))
  const settings = items.flatMap((one) => (one.kind === 'FW' ? [one.item] : []))
  const stands = items.flatMap((one) => (one.kind === 'STAND' ? [one.item] : []))
  return FRAMEWORK_IDS.map((framework_id) => {
    const isOfIt = (one: { framework_id: FrameworkId }) => one.framework_id === framework_id
    const setting = settings.find(isOfIt)
    return {
      tenant_id: space.tenant_id,
      mode: space.mode,
      framework_id,
      now,
      setting,
      standing: stands.find(isOfIt),
      controls: new Map(records.filter(isOfIt).map((record) => [record.control_key, record])),
      links: Map.groupBy(links.filter(isOfIt), ({ control_key }) => control_key),
      results: new Map(results.filter((one) => counts(one, setting)).map((result) => [result.check_id, result])),
    }
  })
}

/** As old as a result may be and still speak for the day on which a framework is enabled. */
const FRESH_MS = 26 * 3_600_000

/** A result from long before the framework was enabled says nothing about the time since. */
const counts = ({ evaluated_at }: CheckResult, setting: Framework | undefined): boolean =>
  setting?.enabled === true && Date.parse(evaluated_at) >= Date.parse(setting.enabled_at) - FRESH_MS
