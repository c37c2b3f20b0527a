// The messages of the fan-out queue: an event from the bus, deliveries that wait for their first attempt, or a recovery.
import { systemContext } from '../../base/context.ts'
import type { Envelope } from '../../ledger/events/event.ts'
import { deliverQueued } from './deliver.ts'
import { endpointsReader, fanOut } from './fan-out.ts'
import type { FanOutMessage } from './queue.ts'
import { recoverSlice } from './recover-slice.ts'

/** Throws when the message has to come back. */
export async function handleMessage(message: FanOutMessage, endpointsOf = endpointsReader()): Promise<void> {
  if ('detail' in message) {
    const { _mode: mode, _position: position, ...event } = message.detail
    const ctx = systemContext({ tenant_id: event.tenant_id, mode })
    return fanOut(ctx, event as unknown as Envelope, position, endpointsOf) // the relay published it
  }
  if ('recover_id' in message) return recoverSlice(systemContext(message), message)
  const { delivery_ids, ...space } = message
  const ctx = systemContext(space)
  const ends = await Promise.allSettled(delivery_ids.map((id) => deliverQueued(ctx, id)))
  const refused = ends.find((end) => end.status === 'rejected')
  if (refused) throw refused.reason
}
