import { sweepApproval } from '../../shared/approvals/sweep.ts'
import { openTable, systemContext } from '../../shared/context.ts'
import { keepChains } from '../../shared/evidence/keep-chain.ts'
import { resumeExecution } from '../../shared/executions/resume.ts'
import { type Key, spaceOf } from '../../shared/table/entity.ts'
import { sweepDue } from '../../shared/table/sweep-due.ts'
import { isDelivery, resumeDelivery } from '../../shared/webhooks/resume.ts'

/** `restarted`: the waits of the retry state machine are gone, as they are when the local service starts. */
type SweepEvent = { detail?: { restarted?: boolean } }

/** Longest wait between two attempts of a delivery, and the time after which a delivery counts as overdue. */
const WAITING_MS = 45 * 60_000

/** Each minute: whatever fell due, and every chain that may have lost its doorbell. */
export const handler = async ({ detail }: SweepEvent): Promise<void> => {
  const table = openTable()
  const restarted = detail?.restarted ?? false
  const handle = (due: Key) => continueWith(due, restarted)
  await Promise.all([
    sweepDue(table, handle, { aheadMs: restarted ? WAITING_MS : 0 }),
    keepChains(table, table.clock),
  ])
}

async function continueWith(due: Key, restarted: boolean): Promise<void> {
  const space = spaceOf(due.pk)
  if (!space) return
  const id = due.pk.split('#').at(-1) ?? ''
  if (isDelivery(due)) await resumeDelivery(due, { restarted })
  if (due.sk === 'EXEC') await resumeExecution(systemContext(space), id)
  if (due.sk === 'APPROVAL') await sweepApproval(systemContext(space), id)
}
