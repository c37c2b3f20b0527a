import { approvals } from './approvals.ts'
import { accessChanges, leavers } from './audit-entries.ts'
import { changes } from './changes.ts'
import { hardExecutions } from './executions.ts'
import { keys, users } from './people.ts'
import type { Population } from './population.ts'

/** In the order of an archive. Areas above this layer bring theirs. */
export const POPULATIONS: readonly Population[] = [
  hardExecutions,
  approvals,
  users,
  leavers,
  accessChanges,
  keys,
  changes,
]
