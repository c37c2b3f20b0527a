import type { Context } from '../../base/context.ts'
import { findPointer, readSettings } from '../../govern/governance/read-settings.ts'
import type { GovernanceSettings } from '../../govern/governance/settings.ts'

/** The settings that decisions go by. The tenant sets them for both modes at once. */
export const governanceOf = async ({ table, space }: Context): Promise<GovernanceSettings> =>
  readSettings(await findPointer(table, { ...space, mode: 'live' }))
