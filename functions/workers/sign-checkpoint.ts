import { systemContext } from '../../shared/base/context.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { checkpoint } from '../../shared/ledger/evidence/sign/checkpoint.ts'
import { checkpoints } from '../../shared/ledger/evidence/chain/enqueue.ts'
import { sequence } from '../../shared/ledger/evidence/chain/sequence.ts'
import { enqueueExport } from '../../shared/assure/exports/enqueue.ts'

/** One message per chain that may be due or that an export waits for. Failed messages return to the queue. */
export const handler = (event: QueueEvent) =>
  read(checkpoints, event, { failed: 'evidence.not_signed' }, async ({ export: waiting, ...space }) => {
    const ctx = systemContext(space)
    const wanted = waiting !== undefined
    if (wanted) await sequence(ctx)
    while ((await checkpoint(ctx, wanted)) === 'more');
    if (wanted) await enqueueExport(space, waiting, { asked: true })
  })
