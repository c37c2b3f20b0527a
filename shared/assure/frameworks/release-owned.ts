// What somebody looked after goes back to nobody when their access ends, as their tasks do.
import { type Context, createContext } from '../../base/context.ts'
import { MODES } from '../../base/table/members.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { controlsOf } from '../catalogue/controls.ts'
import { controlKey } from '../catalogue/framework-ids.ts'
import { compliancePartition } from '../checks/check-result.ts'
import { controlChange, controlWrite } from './change-control.ts'
import { type ControlRecord, controlRecords } from './control-record.ts'
import { frameworks } from './framework.ts'
import { frameworkChange } from './store-framework.ts'

/** Controls of one commit: each leaves four items. */
const BATCH = 20

/** In both modes. Asking again changes nothing. */
export async function releaseOwned(from: Context, userId: string): Promise<void> {
  for (const mode of MODES) {
    const ctx = createContext({ ...from, space: { ...from.space, mode } })
    await releaseFrameworks(ctx, userId)
    while (await releaseControls(ctx, userId));
  }
}

const releaseFrameworks = (ctx: Context, userId: string): Promise<void> =>
  retryWhenOvertaken(async () => {
    const all = await ctx.table.query(frameworks, { pk: compliancePartition(ctx.space), prefix: 'FW#' })
    for (const was of all.filter(({ owner_user_id }) => owner_user_id === userId)) {
      const change = frameworkChange(ctx, was, { ...was, owner_user_id: undefined })
      if (change) await ctx.table.commit(change.writes)
    }
  })

/** The first ones; false when there are none. */
const releaseControls = (ctx: Context, userId: string): Promise<boolean> =>
  retryWhenOvertaken(async () => {
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
  controlsOf(framework_id).find(({ id }) => controlKey(id) === control_key)?.id ?? control_key
