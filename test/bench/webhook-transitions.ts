// Counts the state transitions of the delivery state machine as Step Functions does: one for each state entered.
import { StateMachine, type StateMachineDefinition } from 'aws-local-stepfunctions'
import { webhookRetries } from '../../infra/topology.ts'

/** Dollars a transition (aws.amazon.com/step-functions/pricing, us-east-1, 2026-11). */
const PRICE = 0.025 / 1_000

/** Of a delivery whose first attempt failed; the retry of the given number succeeds, 0 when none does. */
async function transitions(succeeds: number): Promise<number> {
  const definition = webhookRetries()
  const waits = Object.keys(definition.States).filter((name) => name.endsWith('Backoff') || name === 'CrashPause')
  let attempt = 0
  const deliver = async () => {
    attempt += 1
    return { Payload: { outcome: attempt === succeeds ? 'delivered' : 'failed', attempt, wait_seconds: 60 } }
  }
  const execution = new StateMachine(definition as StateMachineDefinition).run(
    { delivery: {}, state: { outcome: 'failed', attempt: 0, wait_seconds: 60 } },
    {
      context: { Execution: { Id: 'execution' } },
      overrides: {
        taskResourceLocalHandlers: { Deliver: deliver, Exhausted: async () => ({ Payload: {} }) },
        waitTimeOverrides: Object.fromEntries(waits.map((name) => [name, 0])),
      },
    },
  )
  let entered = 0
  for await (const { type } of execution.eventLogs) if (type === 'StateEntered') entered += 1
  return entered
}

/** Percent of all deliveries; the rest succeed at once and never start the machine. */
export type Mix = { retriedOnce: number; exhausted: number }
export type Cost = { transitions: number; dollars: number }

/** Of a million deliveries. */
export async function costOf({ retriedOnce, exhausted }: Mix): Promise<Cost> {
  const [once, all] = await Promise.all([transitions(1), transitions(0)])
  const sum = (retriedOnce * once + exhausted * all) * 10_000
  return { transitions: sum, dollars: sum * PRICE }
}
