// Counts what a request asks of AWS: calls, sequential round trips and request units. Nothing is timed: a call that
// begins after another has ended stands one level higher, and the highest level is the number of round trips.
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'

export type Cost = {
  calls: number
  trips: number
  /** Write and read units of the tables. */
  write_units: number
  read_units: number
  /** Write units of the indexes' copies. */
  index_units: number
  by_command: Record<string, number>
}

type Capacity = {
  Table?: { CapacityUnits?: number; WriteCapacityUnits?: number; ReadCapacityUnits?: number }
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>
}

const WRITES = new Set(['TransactWriteItemsCommand', 'UpdateItemCommand', 'PutItemCommand', 'DeleteItemCommand'])

let current: (Cost & { ended: number }) | undefined

/** Middleware for every client; counts only while `measure` runs. */
export const counting: ClientPlugin = (client: AnyClient, service) => {
  client.middlewareStack.use({
    applyToStack: (stack: { add: (middleware: unknown, options: object) => void }) => {
      stack.add(
        (next: (args: { input: object }) => Promise<{ output: object }>, context: { commandName?: string }) =>
          (args: { input: object }) =>
            count(service, context.commandName ?? '', args, next),
        { step: 'initialize', name: 'budget' },
      )
    },
  })
}

async function count(
  service: string,
  command: string,
  args: { input: object },
  next: (args: { input: object }) => Promise<{ output: object }>,
) {
  const cost = current
  if (!cost) return next(args)
  const level = cost.ended + 1
  cost.calls += 1
  cost.by_command[command] = (cost.by_command[command] ?? 0) + 1
  const input = service === 'dynamodb' ? { ...args.input, ReturnConsumedCapacity: 'INDEXES' } : args.input
  const result = await next({ ...args, input })
  cost.ended = Math.max(cost.ended, level)
  cost.trips = Math.max(cost.trips, level)
  addUnits(cost, command, (result.output as { ConsumedCapacity?: Capacity | Capacity[] }).ConsumedCapacity)
  return result
}

function addUnits(cost: Cost, command: string, consumed: Capacity | Capacity[] | undefined): void {
  for (const { Table, GlobalSecondaryIndexes } of [consumed ?? []].flat()) {
    const units = Table?.CapacityUnits ?? 0
    if (WRITES.has(command)) cost.write_units += units
    else cost.read_units += units
    for (const index of Object.values(GlobalSecondaryIndexes ?? {})) {
      if (WRITES.has(command)) cost.index_units += index.CapacityUnits ?? 0
    }
  }
}

/** What one run costs. One at a time. */
export async function measure(run: () => Promise<unknown>): Promise<Cost> {
  const cost = { calls: 0, trips: 0, write_units: 0, read_units: 0, index_units: 0, by_command: {}, ended: 0 }
  current = cost
  try {
    await run()
  } finally {
    current = undefined
  }
  const { ended: _, ...counted } = cost
  return counted
}
