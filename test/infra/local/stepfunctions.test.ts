import { afterEach, expect, test } from 'vitest'
import { createStateMachine, type Executions } from '../../../infra/local/stepfunctions.ts'
import { webhookRetries } from '../../../infra/topology.ts'
import { rowSeconds } from '../../../shared/deliver/webhooks/schedule.ts'
import { testClock } from '../../support/test-clock.ts'

type Outcome = { outcome: string; wait_seconds?: number } | Error
type Task = { delivery: object; execution_id: string }

let executions: Executions
afterEach(() => executions.stop())

const INPUT = { delivery: { delivery_id: 'dlv_1' }, state: { outcome: 'failed', attempt: 0, wait_seconds: 60 } }

/** Runs the machine on a clock of its own; each attempt takes the next outcome, the last one for ever. */
async function run(outcomes: Outcome[], input: object = INPUT) {
  const clock = testClock(0)
  const calls: { at: number; placeholder: string; task: Task }[] = []
  let attempt = 0
  const invoke = async (placeholder: string, payload: unknown) => {
    calls.push({ at: Math.round(clock.now() / 1_000), placeholder, task: payload as Task })
    if (placeholder === 'FailWebhookArn') return null
    const outcome = outcomes[Math.min(attempt, outcomes.length - 1)] ?? new Error('no outcome')
    if (outcome instanceof Error) throw outcome
    attempt += 1
    return { wait_seconds: rowSeconds(attempt) ?? 0, ...outcome, attempt }
  }
  const failures: unknown[] = []
  const options = { name: 'retries', definition: webhookRetries(), invoke, wait: clock.wait }
  executions = createStateMachine({ ...options, onFailure: (error) => failures.push(error) })
  executions.start(input)
  await executions.settled()
  for (let due = clock.nextDue(20_000_000); due; due = clock.nextDue(20_000_000)) {
    clock.moveTo(due)
    await executions.settled()
  }
  return { calls, failures }
}

const timesOf = ({ calls }: Awaited<ReturnType<typeof run>>, placeholder = 'RetryWebhookArn') =>
  calls.filter((call) => call.placeholder === placeholder).map(({ at }) => at)

test('a delivery that keeps failing is tried at the seven promised times and then given up', async () => {
  const ran = await run([{ outcome: 'failed' }])

  expect(timesOf(ran)).toEqual([60, 120, 240, 420, 720, 1_200, 1_980])
  expect(timesOf(ran, 'FailWebhookArn')).toEqual([1_980])
  expect(ran.failures).toEqual([])
})

test.each(['delivered', 'stopped'])('an attempt that ended as %s is the last one', async (outcome) => {
  const ran = await run([{ outcome: 'failed' }, { outcome }])

  expect(timesOf(ran)).toEqual([60, 120])
  expect(timesOf(ran, 'FailWebhookArn')).toEqual([])
})

test('each wait is the one that the attempt before it answered with', async () => {
  const ran = await run([{ outcome: 'failed', wait_seconds: 100 }, { outcome: 'failed' }, { outcome: 'delivered' }])

  expect(timesOf(ran)).toEqual([60, 160, 280])
})

test('nothing was sent yet: the first attempt is made at once', async () => {
  const ran = await run([{ outcome: 'delivered' }], {
    ...INPUT,
    state: { ...INPUT.state, attempt: -1 },
  })

  expect(timesOf(ran)).toEqual([0])
})

test('a crashed attempt is made again after a pause, by the same execution', async () => {
  const ran = await run([{ outcome: 'failed' }, new Error('crashed')].toReversed())

  expect(timesOf(ran).slice(0, 2)).toEqual([60, 120])
  expect(new Set(ran.calls.map(({ task }) => task.execution_id)).size).toBe(1)
  expect(ran.calls[0]?.task).toMatchObject({
    delivery: { delivery_id: 'dlv_1' },
    execution_id: expect.stringMatching(/^arn:aws:states:.*:execution:retries:/),
  })
})
