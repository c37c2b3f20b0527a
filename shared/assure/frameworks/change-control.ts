// The owner and the note that people set for a control. They change no status: that follows from checks and evidence. Also here:
// the bodies of requests about frameworks and controls, and the release of all that a person owned. An owner has no rights by it.
import { type Context, createContext } from '../../base/context.ts'
import { invalid, notFound } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { type Control, controlsOf, findControl } from '../catalogue/controls.ts'
import { controlKey, FRAMEWORK_IDS, type FrameworkId } from '../catalogue/framework-ids.ts'
import { type ControlRecord, controlRecords, frameworks } from './framework.ts'
import { personStays } from '../../govern/tasks/worker.ts'
import * as z from 'zod'
import { id, optional } from '../../base/wire/fields.ts'
import { MODES } from '../../base/table/members.ts'
import { compliancePartition } from '../checks/check-result.ts'
import { frameworkChange } from './store-framework.ts'
import type { ControlDetail } from './control-view.ts'
import { controlViews } from './control-views.ts'
import { moves, movesOf, movesPartition, readState } from './state.ts'

export type Place = { framework_id: FrameworkId; control: Control }

/** Throws 404 for a framework or control that the catalogue does not have. */
export function placeOf(framework: string, key: string): Place {
  const framework_id = FRAMEWORK_IDS.find((known) => known === framework)
  const control = framework_id && findControl(framework_id, key)
  if (!control) throw notFound('control')
  return { framework_id, control }
}

/**
 * Stores owner and note of a control, with an audit entry. False when nothing differs. Throws 409 for another version, and 422 for
 * an unknown owner.
 */
export const changeControl = (
  ctx: Context,
  { framework_id, control }: Place,
  { owner_user_id, note, version }: Partial<ControlPatch>,
): Promise<boolean> =>
  retryWhenChanged(async () => {
    const of = { ...ctx.space, framework_id, control_key: controlKey(control.id) }
    const was = await ctx.table.get(controlRecords, of)
    mustBeCurrent(version, (was?._v ?? 0) + 1)
    const text = await storedTexts(ctx, { note: note ?? undefined })
    const next: ControlRecord = {
      ...of,
      owner_user_id: owner_user_id === undefined ? was?.owner_user_id : (owner_user_id ?? undefined),
      note: note === undefined ? was?.note : text.note,
    }
    const change = controlChange(was, next, control.id)
    if (!change) return false
    const stays = await ownerStays(ctx, owner_user_id)
    await ctx.table.commit([controlWrite(was, next), ...stays, ...changed(ctx, [change])], control.id)
    return true
  })

const controlWrite = (was: Stored<ControlRecord> | undefined, next: ControlRecord): Write =>
  was ? controlRecords.replace(next, was, new ChangedMeanwhile()) : controlRecords.insert(next, new ChangedMeanwhile())

/** Undefined when nothing differs. */
function controlChange(was: ControlRecord | undefined, next: ControlRecord, controlId: string): Change | undefined {
  const changes = differences(was, next, ['owner_user_id', 'note'])
  const { framework_id, control_key } = next
  if (changes.length === 0) return undefined
  return {
    action: 'control.updated',
    artifact: 'compliance.control.updated',
    subject: { type: 'control', id: `${framework_id}.${control_key}`, name: controlId },
    data: { framework_id, control_id: controlId, changed_fields: changes.map(({ path }) => path) },
    changes,
  }
}

/** Writes with which a commit fails if the new owner's account changed. Throws 422 for anybody but an active user of the tenant. */
export async function ownerStays(ctx: Context, owner: string | null | undefined): Promise<Write[]> {
  if (typeof owner !== 'string') return []
  const stays = await personStays(ctx, owner)
  if (!stays) throw invalid(['owner_user_id'], 'must be an active user of this tenant')
  return stays
}

export const EnableBody = z.strictObject({
  scope: optional(z.record(z.string().max(64), z.boolean())).describe(
    'Which parts are in scope, by their tags. What is left out stays as it is.',
  ),
  /** Null: nobody. Left out: as before. */
  owner_user_id: id.nullable().optional().describe('Id of an active user who looks after it; null: nobody.'),
  evidence_validity_days: optional(z.int().min(1).max(730)).describe(
    'How long accepted evidence holds that names no end of its own.',
  ),
  window_days: optional(z.int().min(7).max(366)).describe('How many days back checks of events look.'),
})
export type EnableBody = z.output<typeof EnableBody>

export const ControlPatch = z.strictObject({
  owner_user_id: id.nullable().optional().describe('Id of an active user who looks after it; null: nobody.'),
  note: z.string().min(1).max(2_000).nullable().optional().describe('A note; null removes it.'),
  version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
})
export type ControlPatch = z.output<typeof ControlPatch>

/** Controls of one commit: each leaves four items. */
const BATCH = 20

/**
 * Removes a person as owner of frameworks and controls when their access ends, in both modes, each release with an audit entry.
 * May be repeated after a crash: a released one changes nothing.
 */
export async function releaseOwned(from: Context, userId: string): Promise<void> {
  for (const mode of MODES) {
    const ctx = createContext({ ...from, space: { ...from.space, mode } })
    await releaseFrameworks(ctx, userId)
    while (await releaseControls(ctx, userId));
  }
}

const releaseFrameworks = (ctx: Context, userId: string): Promise<void> =>
  retryWhenChanged(async () => {
    const all = await ctx.table.query(frameworks, { pk: compliancePartition(ctx.space), prefix: 'FW#' })
    for (const was of all.filter(({ owner_user_id }) => owner_user_id === userId)) {
      const change = frameworkChange(ctx, was, { ...was, owner_user_id: undefined })
      if (change) await ctx.table.commit(change.writes)
    }
  })

/** The first ones; false when there are none. */
const releaseControls = (ctx: Context, userId: string): Promise<boolean> =>
  retryWhenChanged(async () => {
    const all = await ctx.table.query(controlRecords, { pk: compliancePartition(ctx.space), prefix: 'CTL#' })
    const owned = all.filter(({ owner_user_id }) => owner_user_id === userId).slice(0, BATCH)
    const released = owned.map((was) => ({ was, next: { ...was, owner_user_id: undefined } }))
    const [first, ...others] = released.flatMap(({ was, next }) => controlChange(was, next, idOf(was)) ?? [])
    if (!first) return false
    await ctx.table.commit([
      ...released.map(({ was, next }) => controlWrite(was, next)),
      ...changed(ctx, [first, ...others]),
    ])
    return true
  })

const idOf = ({ framework_id, control_key }: ControlRecord): string =>
  controlsOf(framework_id).find((control) => controlKey(control.id) === control_key)?.id ?? control_key

/** Moves that are shown: the newest. */
const MOVES_MAX = 100

/** With its history, newest first. Throws 404. */
export async function readControl(ctx: Context, framework: string, key: string): Promise<ControlDetail> {
  const { framework_id, control } = placeOf(framework, key)
  const of = { ...ctx.space, framework_id, control_key: controlKey(control.id) }
  const [state, moved] = await Promise.all([
    readState(ctx, framework_id),
    ctx.table.query(moves, {
      pk: movesPartition(ctx.space),
      prefix: movesOf(of),
      descending: true,
      limit: MOVES_MAX,
    }),
  ])
  const view = controlViews(state).find((shown) => shown.id === control.id)
  if (!view) throw new Error(`the catalogue has ${control.id}, its views do not`)
  return { ...view, history: moved.map(({ at, from, to, reason }) => ({ at, from, to, reason })) }
}
