// Fills an event log as the relay does, without a relay.
import { chunks, logHead, logHeads } from '../../../../shared/ledger/events/log.ts'
import { packEvents } from '../../../../shared/ledger/events/outbox.ts'
import { type Service, space } from '../../deliver/webhooks/service.ts'
import { autoExecution } from './auto-execution.ts'

/** Appends commits of six events each. */
export async function logCommits(it: Service, count = 1): Promise<void> {
  for (let commit = 0; commit < count; commit += 1) {
    const ctx = it.ctx()
    const head = await logHead(ctx)
    const [first, last] = [head.position + 1, head.position + 6]
    const chunk = { ...space, first, last, at: it.clock.now(), events: packEvents(autoExecution()) }
    const next = { ...head, position: last }
    await ctx.table.commit([head._v === 0 ? logHeads.insert(next) : logHeads.replace(next, head), chunks.insert(chunk)])
  }
}

export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
