// What calls of the table in memory would cost in DynamoDB: units as its documentation counts them.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Call, MemoryTable } from '../support/memory-table.ts'
import { bytesOf } from '../support/storable.ts'

type Item = Record<string, AttributeValue>
type Written = { TableName: string; Key?: Item; Item?: Item }
type Input = Written & {
  IndexName?: string
  Select?: string
  ConsistentRead?: boolean
  TransactItems?: Record<string, Written>[]
  RequestItems?: Record<string, { ConsistentRead?: boolean }>
}
type Answer = { Count?: number; Item?: Item; Items?: Item[]; Responses?: Record<string, Item[]> }

/** `copies`: write units of the copies in indexes. `trips`: calls one after another. */
export type Units = Record<'writes' | 'copies' | 'reads' | 'calls' | 'trips' | 'indexQueries' | 'keys', number>

/** Dollars of a unit (us-east-1, on demand, November 2026). */
const WRITE_USD = 0.625e-6
const READ_USD = 0.125e-6
export const usd = ({ writes, copies, reads }: Units): number => (writes + copies) * WRITE_USD + reads * READ_USD

export const NOTHING: Units = { writes: 0, copies: 0, reads: 0, calls: 0, trips: 0, indexQueries: 0, keys: 0 }

/** Of an entry of an index, when a query only counts: the keys of the item, and those of the index. */
const ENTRY_BYTES = 250

const INDEXES = ['gsi1', 'gsi2', 'gsi3', 'gsi4']
const units = (bytes: number, of: number) => Math.max(1, Math.ceil(bytes / of))
const sizeOf = (item: Item | undefined) => (item ? bytesOf(item) : 0)

/** Counts what a run costs. One at a time. */
export async function unitsOf(table: MemoryTable, run: () => Promise<unknown>): Promise<Units> {
  const spent: Units = { ...NOTHING }
  const before = new WeakMap<Call, { was: (Item | undefined)[]; trip: number }>()
  const hooks = table.hooks
  const items = (call: Call) => writesOf(call).map((write) => table.item(write.TableName, keyOf(write)))
  table.hooks = {
    ...hooks,
    before: (call) => void before.set(call, { was: items(call), trip: spent.trips + 1 }),
    after: (call, answer) => {
      spent.calls += 1
      countReads(spent, call, answer)
      const { was: all = [], trip = 0 } = before.get(call) ?? {}
      spent.trips = Math.max(spent.trips, trip)
      const factor = call.name === 'TransactWriteItems' ? 2 : 1
      for (const [index, next] of items(call).entries()) {
        const was = all[index]
        spent.writes += factor * units(Math.max(sizeOf(was), sizeOf(next)), 1_024)
        spent.copies += changedEntries(was, next)
      }
    },
  }
  try {
    await run()
  } finally {
    table.hooks = hooks
  }
  return spent
}

function writesOf({ name, input }: Call): Written[] {
  const { TransactItems, ...own } = input as Input
  if (TransactItems) return TransactItems.flatMap((one) => Object.values(one))
  return /^(Put|Update|Delete)Item$/.test(name) ? [own] : []
}

const keyOf = ({ Key, Item }: Written) => ({ pk: (Key ?? Item)?.pk?.S ?? '', sk: (Key ?? Item)?.sk?.S ?? '' })

/** An index is written when the keys of its entry change: one unit for the old entry, one for the new. */
function changedEntries(was: Item | undefined, next: Item | undefined): number {
  const entry = (item: Item | undefined, index: string) =>
    item?.[`${index}pk`] && JSON.stringify([item[`${index}pk`], item[`${index}sk`]])
  return INDEXES.map((index) => [entry(was, index), entry(next, index)] as const)
    .filter(([old, now]) => old !== now)
    .reduce((sum, [old, now]) => sum + (old ? 1 : 0) + (now ? 1 : 0), 0)
}

function countReads(spent: Units, { name, input }: Call, answer: Answer): void {
  const { IndexName, Select, ConsistentRead, RequestItems } = input as Input
  if (name === 'GetItem') spent.reads += (ConsistentRead ? 1 : 0.5) * units(sizeOf(answer.Item), 4_096)
  for (const [table, { ConsistentRead: isConsistent }] of Object.entries(RequestItems ?? {})) {
    for (const item of answer.Responses?.[table] ?? []) {
      spent.reads += (isConsistent ? 1 : 0.5) * units(sizeOf(item), 4_096)
    }
  }
  if (name !== 'Query') return
  const counted = Select === 'COUNT' ? (answer.Count ?? 0) : 0
  const bytes = (answer.Items ?? []).reduce((sum, item) => sum + sizeOf(item), counted * ENTRY_BYTES)
  spent.reads += (ConsistentRead ? 1 : 0.5) * units(bytes, 4_096)
  if (!IndexName) return
  spent.indexQueries += 1
  spent.keys += counted + (answer.Items?.length ?? 0)
}
