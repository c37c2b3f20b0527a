// Connects the workers to their triggers, like event source mappings, rules and schedules in AWS. `run` starts pollers;
// tests use `drain` and `tick` instead.
import type { DatabaseSync } from 'node:sqlite'
import type { Worker } from '../../shared/base/wire/worker.ts'
import type { AwsCall } from './aws-call.ts'
import type { Clock } from './clock.ts'
import type { Invoke } from './lambda.ts'
import { type Pump, startPump, type Work } from './pump.ts'
import { consume } from './queue-consumer.ts'
import { scheduledEvent, schedulesOf } from './schedules.ts'
import type { Queues } from './sqs.ts'
import { createStreamReader } from './streams.ts'
import { removeExpired } from './tables.ts'
import { workOff } from './work-off.ts'

export type WorkerParts = {
  rows: readonly Worker[]
  db: DatabaseSync
  /** Reads the stream and removes expired items. */
  dynamodb: AwsCall
  streamArn: string
  queues: Queues
  invoke: Invoke
  clock: Clock
  onError: (error: unknown) => void
}

export type Workers = {
  /** Starts pollers and schedules. Batches of a queue run in parallel, as in AWS. */
  run: () => void
  /** Called at the end of a function, when the stream may have new records. */
  wake: () => void
  /** Processes the stream and the queues until empty; false when both were empty. At the end throws the first error. */
  drain: () => Promise<boolean>
  /** Calls the scheduled workers of this rate once. */
  tick: (everyMs?: number, restartedAt?: number) => Promise<void>
  stop: () => Promise<void>
}

const STREAM_IDLE_MS = 250
const QUEUE_IDLE_MS = 1_000
const EXPIRY_IDLE_MS = 600_000
const QUEUE_CONCURRENCY = 10
const MINUTE_MS = 60_000

export function connectWorkers(parts: WorkerParts): Workers {
  const { queues, invoke, clock, onError } = parts
  const readers = streamWork(parts)
  const sources = queueWork(parts)
  const schedules = schedulesOf(parts.rows)
  const pumps: Pump[] = []
  const streams: Pump[] = []

  const start = (work: Work, idleMs: number) => {
    const pump = startPump(work, { idleMs, onError })
    pumps.push(pump)
    return pump
  }
  const tick = async (everyMs = MINUTE_MS, restartedAt?: number) => {
    for (const schedule of schedules.filter((one) => one.everyMs === everyMs)) {
      await invoke(schedule.row, scheduledEvent(clock.now(), restartedAt))
    }
  }

  function run(): void {
    streams.push(...readers.map((read) => start(read, STREAM_IDLE_MS)))
    for (const { queue, work } of sources) {
      const consumers = Array.from({ length: QUEUE_CONCURRENCY }, () => start(work, QUEUE_IDLE_MS))
      queues.onSend((to) => to === queue && consumers.forEach(({ wake }) => wake()))
    }
    start(
      once(() => removeExpired(parts.dynamodb, clock.now())),
      EXPIRY_IDLE_MS,
    )
    for (const everyMs of new Set(schedules.map((one) => one.everyMs))) {
      let restartedAt: number | undefined = clock.now()
      start(
        once(async () => {
          await tick(everyMs, restartedAt).catch(onError) // the next tick is the next try
          restartedAt = undefined
        }),
        everyMs,
      )
    }
  }

  return {
    run,
    wake: () => streams.forEach(({ wake }) => wake()),
    drain: () => workOff([...readers, ...sources.map(({ work }) => work)]),
    tick,
    stop: async () => {
      await Promise.all(pumps.map((pump) => pump.stop()))
    },
  }
}

/** Work that is complete after one run. */
const once = (task: () => Promise<void>) => async () => {
  await task()
  return false
}

function streamWork({ rows, db, dynamodb, streamArn, invoke }: WorkerParts): Work[] {
  return rows.flatMap((row) => {
    if (!('stream' in row.trigger)) return []
    const { stream: itemType, batchSize } = row.trigger
    const from = { call: dynamodb, streamArn, reader: row.id, itemType, batchSize }
    return [createStreamReader(db, { ...from, invoke: (event) => invoke(row, event) }).read]
  })
}

function queueWork({ rows, queues, invoke }: WorkerParts): { queue: string; work: Work }[] {
  return rows.flatMap((row) => {
    if (!('queue' in row.trigger)) return []
    const { queue, batchSize } = row.trigger
    return [{ queue, work: () => consume(queues, { queue, batchSize, invoke: (event) => invoke(row, event) }) }]
  })
}
