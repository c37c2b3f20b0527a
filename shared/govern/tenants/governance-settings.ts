// Governance settings are stored with the policies of each mode, so that a decision names the settings it used. A change
// applies to both modes.
import { type Context, createContext } from '../../base/context.ts'
import { moreRules, readRules } from '../governance/active.ts'
import { movePointer } from '../governance/move-pointer.ts'
import { findPointer, readSettings } from '../governance/read-settings.ts'
import { policySetVersion } from '../governance/set-version.ts'
import type { GovernanceSettings } from '../governance/settings.ts'
import { conflict } from '../../base/lib/failure.ts'
import { policyOf } from '../policies/save.ts'
import type { Write } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'

/** The writes that change the settings in both modes; none for an empty change. */
export async function governanceWrites(ctx: Context, change: Partial<GovernanceSettings>): Promise<Write[]> {
  if (Object.keys(change).length === 0) return []
  const modes = MODES.map((mode) => createContext({ ...ctx, space: { ...ctx.space, mode } }))
  return Promise.all(modes.map((one) => settingsWrite(one, change)))
}

async function settingsWrite(ctx: Context, change: Partial<GovernanceSettings>): Promise<Write> {
  const pointer = await findPointer(ctx.table, ctx.space)
  const settings = { ...readSettings(pointer), ...change }
  const rules = await readRules(ctx.table, ctx.space)
  const policy_set_version = policySetVersion(rules.policies.map(policyOf), settings, moreRules(rules))
  const lost = conflict('The policies were changed by another request. Try again.', { code: 'version_conflict' })
  return movePointer(ctx.space, pointer, { policy_set_version, settings: JSON.stringify(settings) }, lost)
}
