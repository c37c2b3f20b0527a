// Governance settings are stored with the policies of each mode, so that a decision names the settings it used. A change
// applies to both modes.
import { policyOf } from '../governance/policy.ts'
import { type Context, createContext, type Mode } from '../../base/context.ts'
import { moreRules, movePointer, rulesInForce, type StatedSet } from '../governance/governance.ts'
import { DEFAULT_SETTINGS, findPointer, type GovernanceSettings, readSettings } from '../governance/settings.ts'
import { policySetVersion } from '../governance/stored-rules.ts'
import { given } from '../../base/lib/json.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import type { FirstSet } from '../../base/tenant/tenant.ts'
import { MODES } from '../../base/table/members.ts'

/** What governs a tenant that is founded with these settings, in both modes. */
export function firstSet(change: Partial<GovernanceSettings>): FirstSet {
  const settings = { ...DEFAULT_SETTINGS, ...change }
  return { policy_set_version: policySetVersion([], settings), settings: JSON.stringify(settings) }
}

/** `replaces`: the revision of the pointer of live mode that was read; absent where nothing changes. */
export type SettingsChange = { writes: Write[]; policy_sets?: Partial<Record<Mode, StatedSet>>; replaces?: number }

/** Changes the settings in both modes, if there is a change; the artifact of this id states both `policy_sets`. */
export async function governanceWrites(
  ctx: Context,
  change: Partial<GovernanceSettings>,
  artifact_id: string,
): Promise<SettingsChange> {
  if (Object.keys(change).length === 0) return { writes: [] }
  const modes = MODES.map((mode) => createContext({ ...ctx, space: { ...ctx.space, mode } }))
  const moves = await Promise.all(modes.map((one) => settingsMove(one, change, artifact_id)))
  return {
    writes: moves.map(({ write }) => write),
    policy_sets: Object.fromEntries(moves.map(({ mode, set }) => [mode, set])),
    ...given({ replaces: moves.find(({ mode }) => mode === 'live')?.revision }),
  }
}

async function settingsMove(ctx: Context, change: Partial<GovernanceSettings>, artifact_id: string) {
  const { space, table } = ctx
  const pointer = await findPointer(table, space)
  const settings = { ...readSettings(pointer), ...change }
  const lost = conflict('The policies were changed by another request. Try again.', { code: 'version_conflict' })
  const rules = await rulesInForce(table, space, pointer, lost)
  const policy_set_version = policySetVersion(rules.policies.map(policyOf), settings, moreRules(rules))
  const next = { policy_set_version, settings: JSON.stringify(settings), artifact_id }
  return { mode: space.mode, revision: pointer._v, ...movePointer(pointer, next, lost) }
}
