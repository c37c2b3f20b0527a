// Reads the active pointer and its settings. Most callers need only these; active.ts also loads the policies.
import type * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { spaceKey, type Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { governancePointers } from '../../base/tenant/governance-pointer.ts'
import { DEFAULT_SETTINGS, GovernanceSettings } from './settings.ts'

export type Pointer = z.output<typeof governancePointers.schema>

/** For who says what stands in the table. Undefined when there is none that the service wrote. */
export const storedPointer = (table: Table, space: Space): Promise<Stored<Pointer> | undefined> =>
  table.get(governancePointers, space)

/** Throws when there is none that the service wrote: nothing is decided then, since nobody knows what is in force. */
export async function findPointer(table: Table, space: Space): Promise<Stored<Pointer>> {
  const pointer = await storedPointer(table, space)
  if (!pointer) throw new Error(`what is in force in ${spaceKey(space)} was removed, or not written by the service`)
  return pointer
}

/** What was stored before a setting existed has its default. */
export const readSettings = ({ settings }: Pick<Pointer, 'settings'>): GovernanceSettings =>
  settings === undefined ? DEFAULT_SETTINGS : GovernanceSettings.parse({ ...DEFAULT_SETTINGS, ...JSON.parse(settings) })
