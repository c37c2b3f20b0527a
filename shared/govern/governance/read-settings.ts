// Reads the active pointer and its settings. Most callers need only these; active.ts also loads the policies.
import type { Space } from '../../base/context.ts'
import { governancePointers } from './stored-policy.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { DEFAULT_SETTINGS, GovernanceSettings } from './settings.ts'

export type Pointer = {
  policy_set_version: string
  settings?: string | undefined
  set_number?: number | undefined
  set_artifact_id?: string | undefined
  freezes?: string | undefined
}

export const findPointer = (table: Table, space: Space): Promise<Stored<Pointer & Space> | undefined> =>
  table.get(governancePointers, space)

export const readSettings = (pointer: Pointer | undefined): GovernanceSettings =>
  pointer?.settings === undefined ? DEFAULT_SETTINGS : GovernanceSettings.parse(JSON.parse(pointer.settings))
