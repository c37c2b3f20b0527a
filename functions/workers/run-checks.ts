import { checks } from '../../shared/assure/checks/enqueue.ts'
import { assureFacts } from '../../shared/assure/compliance-facts.ts'
import { performRun } from '../../shared/assure/runs/perform-run.ts'
import { systemContext } from '../../shared/base/context.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import type { FactSources } from '../../shared/base/ports/check-facts.ts'
import { deliverFacts } from '../../shared/deliver/compliance-facts.ts'
import { governFacts } from '../../shared/govern/compliance-facts.ts'
import { identityFacts } from '../../shared/identity/compliance-facts.ts'
import { ledgerFacts } from '../../shared/ledger/compliance-facts.ts'
import { learnFacts } from '../../shared/learn/compliance-facts.ts'
import { operateFacts } from '../../shared/operate/compliance-facts.ts'
import { peopleFacts } from '../../shared/people/compliance-facts.ts'

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
export const handler = (event: QueueEvent) =>
  read(checks, event, { failed: 'checks_not_run' }, ({ run_id, ...space }) =>
    performRun(systemContext(space), run_id, SOURCES),
  )
