// The populations of this layer and the ones below.
import { approvals, hardExecutions } from './approvals.ts'
import { accessChanges, keys, leavers, users } from './people.ts'
import { changes } from './changes.ts'
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
