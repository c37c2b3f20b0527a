// The latest result of each check.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { CHECK_STATUSES, Finding } from './check.ts'

export const CheckResult = z.object({
  ...spaceMembers,
  ...Finding.shape,
  check_id: z.string(),
  /** Of the check's rule. */
  version: z.int(),
  run_id: z.string(),
  evaluated_at: z.string(),
  /** The status before the last change of it. */
  previous_status: z.enum(CHECK_STATUSES).optional(),
  changed_at: z.string(),
})
export type CheckResult = z.output<typeof CheckResult>

/** Frameworks, controls, results and open violations of a space, read together. */
export const compliancePartition = (space: Space): string => spaceKey(space, 'COMPLIANCE')

export const checkResults = entity({
  name: 'CHECK_RESULT',
  unbound: 'bounded',
  schema: CheckResult,
  key: (of: Space & { check_id: string }) => ({ pk: compliancePartition(of), sk: `CHK#${of.check_id}` }),
})
