// Stand-in for EventBridge schedules: calls each scheduled worker at the start and then at its rate.
import { randomUUID } from 'node:crypto'
import type { Worker } from '../../shared/base/wire/worker.ts'

const EVERY_MS = { 'rate(1 minute)': 60_000 } as const

export type Schedule = { row: Worker; everyMs: number }

export const schedulesOf = (workers: readonly Worker[]): Schedule[] =>
  workers.flatMap((row) => ('schedule' in row.trigger ? [{ row, everyMs: EVERY_MS[row.trigger.schedule] }] : []))

/** `restartedAt` (ms) lets the sweeper know that the waits of the state machine, which are only in memory, were lost. */
export const scheduledEvent = (now: number, restartedAt?: number) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: new Date(now).toISOString(),
  region: 'us-east-1',
  resources: ['arn:aws:events:us-east-1:000000000000:rule/local'],
  detail: restartedAt === undefined ? {} : { restarted_at: new Date(restartedAt).toISOString() },
})
