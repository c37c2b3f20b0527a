import { beforeEach, describe, expect, test } from 'vitest'
import { CHECKS } from '../../../../shared/assure/catalogue/catalogue.ts'
import { FRAMEWORK_IDS } from '../../../../shared/assure/catalogue/framework-ids.ts'
import { daysOf } from '../../../../shared/assure/checks/check-result.ts'
import { type CheckRun, resultsHash } from '../../../../shared/assure/checks/run.ts'
import { openRun } from '../../../../shared/assure/checks/request-run.ts'
import { STATE_CHECKS } from '../../../../shared/assure/checks/state-checks.ts'
import { disableFramework } from '../../../../shared/assure/frameworks/disable-framework.ts'
import { enableFramework } from '../../../../shared/assure/frameworks/enable-framework.ts'
import { assess } from '../../../../shared/assure/frameworks/assess.ts'
import { figuresOf } from '../../../../shared/assure/frameworks/posture.ts'
import { isEnabled, readStates } from '../../../../shared/assure/frameworks/state.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import {
  type Detected,
  openViolation,
  openViolations,
  type ViolationParts,
} from '../../../../shared/ledger/violations/violation.ts'
import { unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { tasks } from '../../../../shared/govern/tasks/task.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { SPACE, TABLE } from '../../ledger/evidence/world.ts'
import { approvedAt, type CheckedSpace, checkedSpace, DAY, executionAt, HOUR, NOTHING_THERE } from '../space.ts'

let it: CheckedSpace
beforeEach(async () => {
  it = await checkedSpace()
})

async function run(asked: Parameters<CheckedSpace['ask']>[0] = {}): Promise<CheckRun> {
  const { id } = await it.ask(asked)
  await it.perform(id)
  const done = await it.run(id)
  if (!done) throw new Error('no run')
  return done
}

const HOURLY = { trigger: 'schedule', scope: 'hourly' } as const
const FULL = { trigger: 'schedule', scope: 'full' } as const

const items = (type: string) => it.table.items(TABLE).filter((item) => item._type?.S === type)
const headers = () =>
  items('EV').map((item): { type: string; data?: Record<string, unknown> } => JSON.parse(item.header?.S ?? '{}'))
const told = () => items('OUTBOX').flatMap((item) => unpackEvents(item.events?.S ?? '').events)
const eventsOf = (type: string) => told().flatMap((event) => (event.type === type ? [event.data] : []))
const remediation = () =>
  items('TASK')
    .map((item) => tasks.decode(item))
    .filter(({ kind }) => kind === 'remediation')

/** A self-approval that ran a little before now. */
const approveOwn = async () => {
  const { execution, approval } = approvedAt(it.clock.now() - 10 * 60_000, ['usr_maker'])
  await it.store(execution, approval)
  return execution.id
}

const BROKEN = { check_id: 'EVD-01', severity: 'critical', failing_ids: [] } as const satisfies Detected
const store = async (opened: ViolationParts | undefined) => {
  if (opened) await it.ctx.table.commit([...opened.writes, ...commitWith(it.ctx, opened.transitions, opened)])
}
/** The run that follows the one before. */
const performNext = async () => it.perform((await openRun(it.ctx))?.id ?? '')
const disable = async (framework: string) => {
  await disableFramework(it.ctx, framework)
  await performNext()
}

describe('a run', () => {
  test('has a result of every check of the catalogue, and each has its rule', async () => {
    const { results, status } = await run()

    expect(status).toBe('completed')
    expect(results.map(({ check_id }) => check_id)).toEqual(CHECKS.map(({ id }) => id))
    expect(Object.keys(STATE_CHECKS).toSorted()).toEqual(CHECKS.map(({ id }) => id).toSorted())
  })

  test('of the hour has those of every hour, and one of some checks has those', async () => {
    const hourly = await run(HOURLY)
    const some = await run({ scope: ['SEC-03', 'IAM-09'] })

    expect(hourly.results.map(({ check_id }) => check_id)).toEqual(['GOV-01', 'GOV-02', 'EVD-01', 'IAM-06', 'PRV-02'])
    expect(some.results.map(({ check_id }) => check_id)).toEqual(['IAM-09', 'SEC-03'])
  })

  test('says in its artifact what it found, and commits to the results', async () => {
    it.sources.keys = async () => [
      { id: 'key_1', scopes: [], created_at: iso(0), expires_at: iso(400 * DAY), last_used_at: undefined },
    ]
    const done = await run()
    const [{ data } = {}] = headers().filter(({ type }) => type === 'compliance.run.completed')
    const failed = done.results.filter(({ status }) => status === 'fail').length

    expect(failed).toBeGreaterThan(0)
    expect(data).toMatchObject({
      run_id: done.id,
      trigger: 'manual',
      requested_by: 'system:system',
      fail: failed,
      error: 0,
      results_sha256: resultsHash(done.results),
    })
  })

  test('whose source throws is in error, and goes on with the others', async () => {
    it.sources.keys = async () => {
      throw new Error('throttled')
    }
    const { results } = await run()
    const inError = results.filter(({ status }) => status === 'error').map(({ check_id }) => check_id)

    expect(inError).toEqual(expect.arrayContaining(['IAM-03', 'IAM-04']))
    expect(results).toHaveLength(CHECKS.length)
  })

  test('says of what a deployment does not record that it has no data', async () => {
    await run()

    expect(await it.result('OPS-02')).toMatchObject({ status: 'no_data', detail: 'not recorded by this deployment' })
    const waiting = [
      'GOV-05',
      'GOV-07',
      'IAM-12',
      'PRV-03',
      'PRV-04',
      'PRV-06',
      'OPS-01',
      'OPS-03',
      'OPS-04',
      'AI-01',
      'INT-01',
    ]
    const found = await Promise.all(waiting.map((id) => it.result(id)))
    expect(found.map((one) => one?.status)).toEqual(waiting.map(() => 'no_data'))
  })

  test('that died is gone on with where it was', async () => {
    const { id } = await it.ask()
    let commits = 0
    it.table.hooks.before = ({ name, input }) => {
      if (name === 'TransactWriteItems' && JSON.stringify(input).includes('CHECK_RESULT') && (commits += 1) === 2)
        throw new Error('died')
    }
    await expect(it.perform(id)).rejects.toThrow('died')
    it.table.hooks.before = undefined
    const before = (await it.run(id))?.results ?? []
    expect(before).toHaveLength(20)
    it.later(4 * 60_000)
    await it.perform(id)
    const after = await it.run(id)

    expect(after?.status).toBe('completed')
    expect(after?.results.slice(0, 20)).toEqual(before)
    expect(after?.results).toHaveLength(CHECKS.length)
  })

  test('that two workers have at once ends once', async () => {
    const { id } = await it.ask()
    await Promise.all([it.perform(id), it.perform(id)])
    await it.perform(id)

    expect((await it.run(id))?.results).toHaveLength(CHECKS.length)
    expect(headers().filter(({ type }) => type === 'compliance.run.completed')).toHaveLength(1)
  })

  test('whose lease ends while it works leaves the rest to whoever took over', async () => {
    const { id } = await it.ask()
    it.sources.keys = async () => {
      it.sources.keys = async () => []
      it.later(10 * 60_000)
      await it.perform(id)
      return []
    }
    await it.perform(id)

    expect((await it.run(id))?.status).toBe('completed')
    expect(headers().filter(({ type }) => type === 'compliance.run.completed')).toHaveLength(1)
  })
})

describe('a self-approval under allow_self_approval', () => {
  test('fails GOV-01 within the hour and names the execution', async () => {
    await it.enable()
    const id = await approveOwn()
    await run(HOURLY)

    expect(await it.result('GOV-01')).toMatchObject({ status: 'fail', failing_ids: [id], denominator: 1 })
    expect(await it.result('GOV-02')).toMatchObject({ status: 'pass' })
  })

  test('opens one violation, one task and tells it once, however many runs there are', async () => {
    await it.enable()
    const id = await approveOwn()
    for (let hour = 0; hour < 3; hour += 1) await run(HOURLY)
    const [violation, ...more] = await openViolations(it.ctx)
    const [task] = remediation()

    expect(more).toEqual([])
    expect(violation).toMatchObject({ check_id: 'GOV-01', severity: 'critical', failing_ids: [id], task_id: task?.id })
    expect(violation?.framework_ids).toEqual(['soc2'])
    expect(remediation()).toHaveLength(1)
    expect(task).toMatchObject({ status: 'open', source: { type: 'check', id: 'GOV-01' }, priority: 'urgent' })
    expect(Date.parse(task?.due_at ?? '') - Date.parse(task?.created_at ?? '')).toBeCloseTo(DAY, -3)
    expect(eventsOf('compliance.violation.detected')).toHaveLength(1)
    expect(headers().filter(({ type }) => type === 'compliance.violation.detected')).toHaveLength(1)
  })

  test('is no longer a violation once it has left the window: the task is done, and no_data in between changes nothing', async () => {
    await it.enable('soc2', { window_days: 7 })
    await approveOwn()
    await run(HOURLY)
    it.later(9 * DAY)
    await run(HOURLY)
    expect(await it.result('GOV-01')).toMatchObject({ status: 'no_data', previous_status: 'fail' })
    expect(await openViolations(it.ctx)).toHaveLength(1)
    expect(remediation()).toEqual([expect.objectContaining({ status: 'open' })])
    const { execution, approval } = approvedAt(it.clock.now() - HOUR)
    await it.store(execution, approval)
    await run(HOURLY)

    expect(await it.result('GOV-01')).toMatchObject({ status: 'pass', previous_status: 'no_data' })
    expect(await openViolations(it.ctx)).toEqual([])
    expect(remediation()).toEqual([expect.objectContaining({ status: 'completed', resolution: 'the check is pass' })])
    expect(headers().filter(({ type }) => type === 'compliance.violation.closed')).toHaveLength(1)
  })

  test('opens nothing where no enabled framework has a control for it', async () => {
    await approveOwn()
    await run(HOURLY)

    expect(await it.result('GOV-01')).toMatchObject({ status: 'fail' })
    expect(await openViolations(it.ctx)).toEqual([])
    expect(remediation()).toEqual([])
  })

  test('opens nothing while the source cannot be read', async () => {
    await it.enable()
    it.sources.leavers = async () => {
      throw new Error('throttled')
    }
    await run(HOURLY)

    expect(await it.result('IAM-06')).toMatchObject({ status: 'error' })
    expect(await openViolations(it.ctx)).toEqual([])
  })
})

describe('the last framework that asks for a check', () => {
  test('takes its violation and task with it when it is disabled, and no other does', async () => {
    await it.enable()
    await it.enable('iso27001')
    await approveOwn()
    await run(HOURLY)
    const [violation] = await openViolations(it.ctx)
    expect(violation?.framework_ids).toEqual(['soc2', 'iso27001'])

    await disable('soc2')
    expect(await openViolations(it.ctx)).toHaveLength(1)
    expect(remediation()).toEqual([expect.objectContaining({ status: 'open' })])

    await disable('iso27001')
    expect(await openViolations(it.ctx)).toEqual([])
    expect(remediation()).toEqual([
      expect.objectContaining({ status: 'cancelled', resolution: 'no enabled framework asks for the check' }),
    ])
    expect(headers().filter(({ type }) => type === 'compliance.violation.closed')).toHaveLength(1)
  })

  test('closes also what an open run still opens', async () => {
    await it.enable()
    await approveOwn()
    const { id } = await it.ask({ trigger: 'schedule', scope: 'hourly' })
    let disabled = false
    it.sources.leavers = async () => {
      if (!disabled) await disableFramework(it.ctx, 'soc2')
      disabled = true
      return []
    }
    await it.perform(id)
    expect(await openViolations(it.ctx)).toHaveLength(1)
    await performNext()

    expect(await openViolations(it.ctx)).toEqual([])
  })

  test('leaves a broken chain told, which is wrong without any framework', async () => {
    await enableFramework(it.ctx, 'soc2', {})
    await store(await openViolation(it.ctx, BROKEN))
    const [opened] = eventsOf('compliance.violation.detected')
    expect(opened).toMatchObject({ framework_ids: ['soc2'], control_ids: expect.arrayContaining(['CC7.2']) })
    await disable('soc2')

    expect(await openViolations(it.ctx)).toMatchObject([{ check_id: 'EVD-01' }])
  })
})

test('a violation of a breach names every framework that has a control for it', async () => {
  for (const framework of ['gdpr', 'hipaa', 'soc2']) await enableFramework(it.ctx, framework, {})
  await disableFramework(it.ctx, 'soc2')
  await store(await openViolation(it.ctx, { check_id: 'PRV-04', severity: 'critical', failing_ids: ['inc_1'] }))
  const controls = CHECKS.find(({ id }) => id === 'PRV-04')?.controls ?? {}

  expect(eventsOf('compliance.violation.detected')).toMatchObject([
    {
      framework_ids: FRAMEWORK_IDS.filter((id) => controls[id] && ['gdpr', 'hipaa'].includes(id)),
      control_ids: expect.arrayContaining(['33(1)']),
    },
  ])
})

test('a violation that was opened at once gets its task with the next run, and no second event', async () => {
  await it.enable()
  await store(await openViolation(it.ctx, BROKEN))
  const { chain } = it.sources
  it.sources.chain = async (ask) => ({ ...(await chain(ask)), size: 3, broken: true })
  await run(HOURLY)
  await run(HOURLY)

  expect(await openViolations(it.ctx)).toEqual([expect.objectContaining({ task_id: remediation()[0]?.id })])
  expect(remediation()).toHaveLength(1)
  expect(eventsOf('compliance.violation.detected')).toHaveLength(1)
})

describe('what a run tells', () => {
  test('is each check, with its controls, of one that somebody asked for', async () => {
    await it.enable()
    await run()
    const events = eventsOf('compliance.check.completed')

    expect(events).toHaveLength(CHECKS.length)
    expect(events).toContainEqual(
      expect.objectContaining({ check_id: 'GOV-01', framework_ids: ['soc2'], previous_status: null, failing_count: 0 }),
    )
  })

  test('is what has changed, and how each framework stands, of the daily one; nothing of an hour without a change', async () => {
    await it.enable()
    const first = await run(FULL)
    const quiet = await run(HOURLY)
    await approveOwn()
    const hourly = await run(HOURLY)
    const daily = await run(FULL)
    const toldBy = ({ id }: CheckRun) =>
      eventsOf('compliance.check.completed').flatMap((data) =>
        'check_id' in data && 'run_id' in data && data.run_id === id ? [data.check_id] : [],
      )

    expect(toldBy(first)).toHaveLength(CHECKS.length + 1)
    expect(toldBy(quiet)).toEqual([])
    expect(toldBy(hourly).toSorted()).toEqual(['GOV-01', 'GOV-02'])
    expect(toldBy(daily)).toEqual(['IAM-10', 'framework:soc2'])
    const recordedBy = headers().flatMap(({ type, data }) =>
      type === 'compliance.run.completed' ? [String(data?.run_id)] : [],
    )
    expect(recordedBy.toSorted()).toEqual([first.id, hourly.id, daily.id].toSorted())
  })
})

describe('the days', () => {
  const statuses = async (check: string, days: number) =>
    (await daysOf(it.ctx, it.clock.now() - days * DAY, it.clock.now())).map(({ statusOf }) => statusOf(check))

  test('keep a failure of the day although it passed later, and show a day without a run', async () => {
    const { settings } = NOTHING_THERE
    it.sources.settings = async (ask) => ({ ...(await settings(ask)), idle_s: 0 })
    await run({ scope: ['IAM-11'] })
    it.sources.settings = settings
    await run({ scope: ['IAM-11'] })
    it.later(2 * DAY)
    await run({ scope: ['IAM-11'] })

    expect(await statuses('IAM-11', 2)).toEqual(['fail', 'no_run', 'pass'])
    expect(await statuses('IAM-09', 2)).toEqual(['no_run', 'no_run', 'no_run'])
  })

  test('of two years are read as one window', async () => {
    it.later(42 * DAY)
    await run({ scope: ['IAM-11'] })
    const days = await daysOf(it.ctx, it.clock.now() - 3 * DAY, it.clock.now())

    expect(days.map(({ date }) => date)).toEqual(['2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01'])
    expect(await statuses('IAM-11', 3)).toEqual(['no_run', 'no_run', 'no_run', 'pass'])
  })
})

test('a tenant in which nothing has happened is compliant in nothing', async () => {
  for (const id of ['soc2', 'gdpr', 'hipaa', 'iso27001', 'iso42001', 'eu_ai_act', 'nist_ai_rmf'] as const)
    await it.enable(id)
  await run({ trigger: 'enable' })
  const states = (await readStates(it.ctx)).filter(isEnabled)
  const met = states.flatMap((state) => assess(state).filter(({ status }) => status === 'met'))

  expect(states).toHaveLength(7)
  expect(states.map((state) => figuresOf(state).status)).not.toContain('compliant')
  expect(met.filter(({ basis }) => basis.type !== 'automatic')).toEqual([])
})

test('a run of more than a message may count hands the rest to another message', async () => {
  await it.enable()
  await it.store(executionAt(it.clock.now() - HOUR))
  const { id } = await it.ask()
  await it.perform(id, 0)
  expect(await it.run(id)).toMatchObject({ status: 'running', results: [] })
  expect(it.sqs.messages.map(({ body }) => JSON.parse(body))).toEqual([
    { ...SPACE, run_id: id },
    { ...SPACE, run_id: id },
  ])
  await it.perform(id)

  expect(await it.run(id)).toMatchObject({ status: 'completed' })
})
