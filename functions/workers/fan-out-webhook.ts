import { comeBackAfter, type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { Busy, pauseSeconds } from '../../shared/deliver/webhooks/deliver.ts'
import { endpointsReader, handleMessage } from '../../shared/deliver/webhooks/fan-out.ts'
import { fanOutQueue } from '../../shared/deliver/webhooks/queue.ts'

/**
 * Handles all messages at once, so that a slow receiver delays no other. Failed messages come back after seconds, and later each
 * time.
 */
export const handler = (event: QueueEvent) => {
  const endpointsOf = endpointsReader()
  return read(
    fanOutQueue,
    event,
    {
      failed: 'fan_out.failed',
      atOnce: event.Records.length,
      expected: (error) => error instanceof Busy,
      onReturn: (received, error) => comeBackAfter(pauseSeconds(received, error), received, fanOutQueue),
    },
    (message) => handleMessage(message, endpointsOf),
  )
}
