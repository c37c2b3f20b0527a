// The settings of a tenant: a framework that it has enabled, and the owner and note of a control.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { compliancePartition } from '../checks/check-result.ts'

export const Framework = z.object({
  ...spaceMembers,
  framework_id: z.enum(FRAMEWORK_IDS),
  enabled: z.boolean(),
  enabled_at: z.string(),
  /** Tags that differ from the default of the catalogue, or equal it on purpose. */
  scope: z.record(z.string(), z.boolean()),
  owner_user_id: z.string().optional(),
  /** How long accepted evidence holds that names no end of its own: 1 to 730. */
  evidence_validity_days: z.int(),
  /** How far back checks over events look: 7 to 366. */
  window_days: z.int(),
  /** The catalogue at the last full run. */
  catalogue_version: z.string(),
})
export type Framework = z.output<typeof Framework>

/** Of a framework that nobody has set up. */
export const DEFAULTS = { evidence_validity_days: 180, window_days: 90 }

export const frameworks = entity({
  name: 'FRAMEWORK',
  unbound: 'bounded',
  schema: Framework,
  key: (of: Space & { framework_id: string }) => ({ pk: compliancePartition(of), sk: `FW#${of.framework_id}` }),
})

/** The settings of a control. Its status is never stored here: it is computed when it is read. */
export const ControlRecord = z.object({
  ...spaceMembers,
  framework_id: z.enum(FRAMEWORK_IDS),
  /** The id of the control in paths. */
  control_key: z.string(),
  owner_user_id: z.string().optional(),
  note: z.string().optional(),
})
export type ControlRecord = z.output<typeof ControlRecord>

export const controlRecords = entity({
  name: 'CONTROL',
  unbound: 'bounded',
  schema: ControlRecord,
  key: (of: Space & Pick<ControlRecord, 'framework_id' | 'control_key'>) => ({
    pk: compliancePartition(of),
    sk: key('CTL', of.framework_id, of.control_key),
  }),
})
