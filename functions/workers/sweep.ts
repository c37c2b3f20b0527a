import { openTable, systemContext } from '../../shared/context.ts'
import { keepChains } from '../../shared/evidence/keep-chain.ts'
import { type Key, spaceOf } from '../../shared/table/entity.ts'
import { sweepDue } from '../../shared/table/sweep-due.ts'

/** `restarted`: the waits of the retry state machine are gone, as they are when the local service starts. */
type SweepEvent = { detail?: { restarted?: boolean } }

/** Longest wait between two attempts of a delivery, and the time after which a delivery counts as overdue. */
const WAITING_MS = 45 * 60_000

/** Each minute: whatever fell due, and every chain that may have lost its doorbell. */
export const handler = async ({ detail }: SweepEvent): Promise<void> => {
  const table = openTable()
  const restarted = detail?.restarted ?? false
  const handle = (due: Key) => continueWith(due, restarted)
  await Promise.all([sweepDue(table, handle, { aheadMs: restarted ? WAITING_MS : 0 }), keepChains(table, table.clock)])
}

/** What continues an item loads when such an item is due, which it is in few minutes. */
async function continueWith(due: Key, restarted: boolean): Promise<void> {
  const space = spaceOf(due.pk)
  if (!space) return
  const id = due.pk.split('#').at(-1) ?? ''
  if (due.sk === 'DELIVERY') {
    const { resumeDelivery } = await import('../../shared/webhooks/resume.ts')
    await resumeDelivery(due, { restarted })
  }
  if (due.sk === 'EXPORT' || due.sk === 'ERASURE') {
    const { ringExporter } = await import('../../shared/exports/ring.ts')
    await ringExporter(space, id)
  }
  if (due.sk === 'EXEC') {
    const { resumeExecution } = await import('../../shared/executions/resume.ts')
    await resumeExecution(systemContext(space), id)
  }
  if (due.sk === 'APPROVAL') {
    const { sweepApproval } = await import('../../shared/approvals/sweep.ts')
    await sweepApproval(systemContext(space), id)
  }
}
