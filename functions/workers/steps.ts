import { STEPS, type StepName } from '../../shared/base/catalog/steps.ts'
import { type Context, systemContext } from '../../shared/base/context.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import { StepMessage } from '../../shared/ledger/steps/enqueue.ts'
import { runStep } from '../../shared/ledger/steps/run-step.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

/** Each is loaded only when it is due. After a gap none of these does anything more than once. */
const RUNS: Record<StepName, (ctx: Context) => Promise<void>> = {
  verification: async (ctx) =>
    (await import('../../shared/ledger/evidence/verify/enqueue-full-pass.ts')).enqueueFullPass(ctx),
  domains: async (ctx) => (await import('../../shared/identity/domains/recheck.ts')).recheckDomains(ctx),
}

/** One message for each step of a space that is due. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const { tenant_id, mode, step } = StepMessage.parse(JSON.parse(body))
      await runStep(systemContext({ tenant_id, mode }), { name: step, every: STEPS[step], run: RUNS[step] })
    } catch (error) {
      alarm('step_failed', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
