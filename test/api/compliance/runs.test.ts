import { beforeAll, describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { CHECKS } from '../../../shared/assure/catalogue/catalogue.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
/** Of a HARD action that a key approved, and that ran. */
let approvedByKey: string

beforeAll(async () => {
  acme = await governed(local)
  await acme.execute('get_contact')
  const { approval, receipt } = await acme.held()
  approvedByKey = receipt.request_id
  await acme.approve(approval.id)
  await acme.call(compliance.enableFramework, { params: at({ id: 'soc2' }), body: {} })
  await local.advance(10 * 60_000)
  await run()
})

const at = <M extends object>(more: M) => ({ tenant_id: acme.tenant_id, ...more })
const start = (body: object = {}, more: object = {}) =>
  acme.call(compliance.startRun, { params: at({}), body, ...more })
const look = (run_id: string) => acme.call(compliance.getRun, { params: at({ run_id }) })
const check = (check_id: string, query = {}) => acme.call(compliance.getCheck, { params: at({ check_id }), query })

/** Starts a run and waits for its end. */
async function run(body: object = {}) {
  const { id } = (await start(body)).body
  await local.drain()
  return (await look(id)).body
}

describe('a run', () => {
  test('carries out every check over what the tenant has done, and none is in error', async () => {
    const { body } = await check('GOV-02')
    const { status, trigger, requested_by, results, results_sha256 } = (await look(body.run_id)).body

    expect({ status, trigger, requested_by }).toMatchObject({
      status: 'completed',
      trigger: 'manual',
      requested_by: { type: 'api_key' },
    })
    expect(results).toHaveLength(CHECKS.length)
    expect(results.filter((one: { status: string }) => one.status === 'error')).toEqual([])
    expect(results_sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test('finds that an approval by a key is one, but not by a person', async () => {
    expect((await check('GOV-02')).body).toMatchObject({ status: 'pass', numerator: 1, denominator: 1 })
    expect((await check('GOV-01')).body).toMatchObject({ status: 'fail', failing_ids: [approvedByKey] })
  })

  test.each(['IAM-10', 'EVD-05', 'GOV-08'])('finds nothing missing by %s', async (id) => {
    expect((await check(id)).body).toMatchObject({ status: 'pass', failing_count: 0 })
  })

  test('opens a task of whoever mends a failure, and its violation names it', async () => {
    const { violation } = (await check('GOV-01')).body
    const { body: task } = await acme.call(work.getTask, { params: { id: violation.task_id } })

    expect(task).toMatchObject({ kind: 'remediation', status: 'open', source: { type: 'check', id: 'GOV-01' } })
  })

  test('is repeated with its Idempotency-Key as it stands, and answered with its place', async () => {
    const headers = { 'Idempotency-Key': 'run-1' }
    const first = await start({ checks: ['IAM-09'] }, { headers })
    await local.drain()
    const again = await start({ checks: ['IAM-09'] }, { headers })

    expect(first).toMatchObject({ status: 202, body: { status: 'queued', scope: ['IAM-09'], results: [] } })
    expect(first.headers.location).toMatch(new RegExp(`/runs/${first.body.id}$`))
    expect(again.body).toMatchObject({ id: first.body.id, status: 'completed' })
    expect(again.body.results).toHaveLength(1)
  })

  test('that is asked for while one is open is that one', async () => {
    const first = await start({ checks: ['IAM-09'] })
    const second = await start()
    await local.drain()

    expect(second).toMatchObject({ status: 202, body: { id: first.body.id } })
  })

  test.each([
    [{ checks: [] }, ['body', 'checks']],
    [{ checks: ['GOV-99'] }, ['body', 'checks', 0]],
    [{ checks: ['GOV-01', 'GOV-01'] }, ['body', 'checks']],
    [{ check: ['GOV-01'] }, ['body', 'check']],
  ])('is refused for %j', async (body, loc) => {
    expect(await start(body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
  })

  test('is the seventh within an hour: 429, and when to try again', async () => {
    const replies = []
    for (let asked = 0; asked < 6; asked += 1) {
      replies.push(await start({ checks: ['IAM-09'] }))
      await local.drain()
    }
    const refused = replies.filter(({ status }) => status === 429)

    expect(refused.length).toBeGreaterThan(0)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(60)
    await local.advance(3_600_000)
    expect((await start({ checks: ['IAM-09'] })).status).toBe(202)
    await local.drain()
  })
})

describe('the checks', () => {
  const list = (query = {}) => acme.call(compliance.listChecks, { params: at({}), query })

  test('are listed in the order of the catalogue, those that fail by themselves, too', async () => {
    const all = await list({ limit: 200 })
    const failing = await list({ status: 'fail', severity: 'critical', framework_id: 'soc2', limit: 200 })

    expect(all.body.items.map(({ id }: { id: string }) => id)).toEqual(CHECKS.map(({ id }) => id))
    expect(failing.body.items).toContainEqual(expect.objectContaining({ id: 'GOV-01' }))
    expect((await list({ status: 'broken' })).status).toBe(400)
  })

  test('show what they found on each day of a window, and where there was no run', async () => {
    const { days } = (await check('GOV-01', { window_days: 3 })).body // the clock may have moved past midnight

    expect(days.slice(1)).toContainEqual(expect.objectContaining({ status: 'fail' }))
    expect(days[0]).toMatchObject({ status: 'no_run' })
    const long = await check('GOV-01', { start_at: '2020-01-01T00:00:00Z' })
    expect(long).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'start_at'] }] } })
    expect((await check('GOV-01', { window_days: 367 })).status).toBe(400)
    expect((await check('GOV-99')).status).toBe(404)
  })

  test('of the sandbox are its own', async () => {
    const { call } = acme.as('sandbox')

    expect((await call(compliance.getCheck, { params: at({ check_id: 'GOV-01' }) })).body).toMatchObject({
      status: 'no_data',
      evaluated_at: null,
    })
  })
})
