import { RunMessage } from '../../shared/assure/checks/enqueue.ts'
import { assureFacts } from '../../shared/assure/facts.ts'
import { performRun } from '../../shared/assure/runs/perform-run.ts'
import { systemContext } from '../../shared/base/context.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import type { FactSources } from '../../shared/base/ports/facts.ts'
import { deliverFacts } from '../../shared/deliver/facts.ts'
import { governFacts } from '../../shared/govern/facts.ts'
import { identityFacts } from '../../shared/identity/facts.ts'
import { ledgerFacts } from '../../shared/ledger/facts.ts'
import { learnFacts } from '../../shared/learn/facts.ts'
import { operateFacts } from '../../shared/operate/facts.ts'
import { peopleFacts } from '../../shared/people/facts.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

/** Everybody who has facts. What is not here, the checks say is not recorded. */
const SOURCES: FactSources = {
  ...ledgerFacts,
  ...identityFacts,
  ...governFacts,
  ...deliverFacts,
  ...operateFacts,
  ...assureFacts,
  ...learnFacts,
  ...peopleFacts,
}

/** One message per run of checks. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const { run_id, tenant_id, mode } = RunMessage.parse(JSON.parse(body))
      await performRun(systemContext({ tenant_id, mode }), run_id, SOURCES)
    } catch (error) {
      alarm('checks_not_run', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
