// What people say of a control: who looks after it, and a note. Its status they can only change through what it rests on.
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { type Control, findControl } from '../catalogue/controls.ts'
import { controlKey, FRAMEWORK_IDS, type FrameworkId } from '../catalogue/framework-ids.ts'
import { type ControlRecord, controlRecords } from './control-record.ts'
import type { ControlPatch } from './framework-fields.ts'
import { ownerStays } from './owner.ts'

export type Place = { framework_id: FrameworkId; control: Control }

/** Throws 404 for what is not in the catalogue. */
export function placeOf(framework: string, key: string): Place {
  const framework_id = FRAMEWORK_IDS.find((id) => id === framework)
  const control = framework_id && findControl(framework_id, key)
  if (!control) throw notFound('control')
  return { framework_id, control }
}

/** False when nothing differs. Throws 409 for another version, and 422 for an unknown owner. */
export const changeControl = (
  ctx: Context,
  { framework_id, control }: Place,
  { owner_user_id, note, version }: Partial<ControlPatch>,
): Promise<boolean> =>
  retryWhenOvertaken(async () => {
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

export const controlWrite = (was: Stored<ControlRecord> | undefined, next: ControlRecord): Write =>
  was ? controlRecords.replace(next, was, new Overtaken()) : controlRecords.insert(next, new Overtaken())

/** Undefined when nothing differs. */
export function controlChange(was: ControlRecord | undefined, next: ControlRecord, id: string): Change | undefined {
  const changes = differences(was, next, ['owner_user_id', 'note'])
  const { framework_id, control_key } = next
  if (changes.length === 0) return undefined
  return {
    action: 'control.updated',
    artifact: 'compliance.control.updated',
    subject: { type: 'control', id: `${framework_id}.${control_key}`, name: id },
    data: { framework_id, control_id: id, changed_fields: changes.map(({ path }) => path) },
    changes,
  }
}
