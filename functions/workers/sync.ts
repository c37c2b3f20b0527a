import '../effects.ts'
import { systemContext } from '../../shared/base/context.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { type SyncMessage, syncs } from '../../shared/deliver/integrations/sync/enqueue.ts'
import { runRemoval } from '../../shared/deliver/integrations/sync/removal.ts'
import { runSync } from '../../shared/deliver/integrations/sync/run-sync.ts'

async function carryOut(message: SyncMessage): Promise<void> {
  if ('nango' in message) {
    const { takeMessage } = await import('../../shared/deliver/integrations/nango/take-message.ts')
    return takeMessage(message.nango)
  }
  const ctx = systemContext({ tenant_id: message.tenant_id, mode: message.mode })
  return 'id' in message ? runSync(ctx, message.id) : runRemoval(ctx, message.remove)
}

/** One message per run, or per connection whose records are to be removed. Failed messages return to the queue. */
export const handler = (event: QueueEvent) => read(syncs, event, { failed: 'sync_not_done' }, carryOut)
