// An open violation: a compliance check fails, and that was told. There is at most one for each check.
import * as z from 'zod'
import { SEVERITIES } from '../../base/catalog/measure-words.ts'
import type { Context, Space } from '../../base/context.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'

export const Violation = z.object({
  ...resourceMembers,
  check_id: z.string(),
  severity: z.enum(SEVERITIES),
  framework_ids: z.array(z.string()),
  control_ids: z.array(z.string()),
  /** At most `NAMED_MAX`. */
  failing_ids: z.array(z.string()),
  /** The task of whoever mends it. */
  task_id: z.string().optional(),
  opened_at: z.string(),
})
export type Violation = z.output<typeof Violation>

export const NAMED_MAX = 20

const PREFIX = 'VIO'
export const partitionOf = (space: Space): string => spaceKey(space, 'COMPLIANCE')

export const violations = entity({
  name: 'VIOLATION',
  unbound: 'proven by artifacts',
  schema: Violation,
  key: (of: Space & { check_id: string }) => ({ pk: partitionOf(of), sk: key(PREFIX, of.check_id) }),
})

export const openViolations = ({ table, space }: Context) =>
  table.query(violations, { pk: partitionOf(space), prefix: `${PREFIX}#` })
