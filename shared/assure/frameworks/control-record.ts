// What people set for a control. Its status is never stored here: it is computed when it is read.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { compliancePartition } from '../checks/check-result.ts'

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
