import { sweepApproval } from '../../shared/approvals/sweep.ts'
import { openTable, systemContext } from '../../shared/context.ts'
import { keepChains } from '../../shared/evidence/keep-chain.ts'
import { resumeExecution } from '../../shared/executions/resume.ts'
import { type Key, spaceOf } from '../../shared/table/entity.ts'
import { sweepDue } from '../../shared/table/sweep-due.ts'
import { isDelivery, resumeDelivery } from '../../shared/webhooks/resume.ts'

/** Each minute: whatever fell due, and every chain that may have lost its doorbell. */
export const handler = async (): Promise<void> => {
  const table = openTable()
  await Promise.all([sweepDue(table, handle), keepChains(table, table.clock)])
}

async function handle(due: Key): Promise<void> {
  if (isDelivery(due)) return void (await resumeDelivery(due))
  const space = spaceOf(due.pk)
  if (!space) return
  const id = due.pk.split('#').at(-1) ?? ''
  if (due.sk === 'EXEC') await resumeExecution(systemContext(space), id)
  if (due.sk === 'APPROVAL') await sweepApproval(systemContext(space), id)
}
