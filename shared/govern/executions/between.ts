import type { Space } from '../../base/context.ts'
import { ulid } from '../../base/lib/ids.ts'
import { monthsBack } from '../../base/lib/months.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { ListSource } from '../../base/wire/pagination.ts'
import { type Execution, executions, LIST_SHARDS, listPartition } from './execution.ts'

/** Ids are ordered by time, so a window of time is a range of ids. */
const idFrom = (at: number) => `exe_${ulid(at, (size) => new Uint8Array(size)).slice(0, 10)}`

/** The list of what was requested from one instant (ms) up to and without another, oldest first. */
export const executionsBetween = (
  space: Space,
  from: number,
  to: number,
): ListSource<Stored<Execution>, Space & { id: string }> => ({
  of: executions,
  index: 'gsi1',
  descending: false,
  from: idFrom(from),
  to: idFrom(to),
  groups: monthsBack(to - 1, from)
    .toReversed()
    .map((month) => ({
      name: month,
      partitions: Array.from({ length: LIST_SHARDS }, (_, shard) => listPartition(space, month, shard)),
    })),
})
