import type { Context } from '../../base/context.ts'
import { findPointer, type GovernanceSettings, readSettings } from '../governance/settings.ts'

/** The governance settings of the tenant, which are the same in both modes. */
export const governanceOf = async ({ table, space }: Context): Promise<GovernanceSettings> =>
  readSettings(await findPointer(table, { ...space, mode: 'live' }))
