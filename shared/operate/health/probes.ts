// The probes of readiness. Each one calls its dependency.
import { queueDepths } from '../../base/aws/queue-depths.ts'
import { env } from '../../base/lib/runtime.ts'
import { QUEUE_NAMES } from '../../base/catalog/queues.ts'
import type { Probe } from './probe.ts'
import { openTable } from '../../base/context.ts'

/** Shows how many messages wait in each queue; those of a dead-letter queue, `<queue>-dlq`, wait for the operator. */
export const queues: Probe = async () => ({ detail: await queueDepths(QUEUE_NAMES) })

export const bus: Probe = async () => {
  const { DescribeEventBusCommand, eventbridge } = await import('../../base/aws/eventbridge.ts')
  await eventbridge().send(new DescribeEventBusCommand({ Name: env('BUS_NAME') }))
}

/** A disabled signing key stops checkpoints, not actions. */
export const signing: Probe = async () => {
  const { DescribeKeyCommand, kms } = await import('../../base/aws/kms.ts')
  const { KeyMetadata } = await kms().send(new DescribeKeyCommand({ KeyId: env('SIGN_KEY_ID') }))
  return KeyMetadata?.Enabled ? {} : { status: 'failed' }
}

/** The item that the probe writes. It belongs to no tenant. */
const PROBED = { pk: 'HEALTH#writes', sk: 'PROBE' }

/** Writes an item, because a table may answer reads while it refuses writes. */
export const writes: Probe = async () => {
  const table = openTable()
  await table.update(PROBED, { set: { at: table.clock.now() } })
}
