// The delivery state machine of the topology, run as it stands on the test's clock. Its tasks are the real workers.
import { handler as failWebhook } from '../../../../functions/workers/fail-webhook.ts'
import { handler as retryWebhook } from '../../../../functions/workers/retry-webhook.ts'
import { createStateMachine, type Executions } from '../../../../infra/local/stepfunctions.ts'
import { webhookRetries } from '../../../../infra/topology.ts'
import type { Service } from './service.ts'

export type Machine = {
  /** Starts an execution for everything announced since the last call. */
  startAnnounced: () => void
  /** Runs all executions to their end, moving the clock from wait to wait. */
  finish: () => Promise<void>
  /** As `finish`, but only up to the next `waits` waits. */
  pass: (waits: number) => Promise<void>
  /** Ends all executions where they are, as a restart does. */
  stop: () => void
}

type Handlers = { retry?: typeof retryWebhook; fail?: typeof failWebhook }

export function machine(it: Service, { retry = retryWebhook, fail = failWebhook }: Handlers = {}): Machine {
  const failures: unknown[] = []
  const make = (): Executions =>
    createStateMachine({
      name: 'webhook-retries',
      definition: webhookRetries(),
      invoke: (task, payload) => (task === 'RetryWebhookArn' ? retry(payload) : fail(payload)),
      wait: it.clock.wait,
      onFailure: (error) => failures.push(error),
    })
  let executions = make()
  let started = 0

  const pass = async (waits: number) => {
    for (let count = 0; count < waits; count += 1) {
      await executions.settled()
      const due = it.clock.nextDue(Number.POSITIVE_INFINITY)
      if (due === undefined) break
      it.clock.moveTo(due)
    }
    await executions.settled()
    if (failures.length > 0) throw failures[0]
  }
  return {
    startAnnounced: () => {
      for (const { detail } of it.bus.slice(started)) executions.start(detail)
      started = it.bus.length
    },
    pass,
    finish: () => pass(100),
    stop: () => {
      executions.stop()
      executions = make()
    },
  }
}
