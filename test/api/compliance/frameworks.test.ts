import { beforeAll, describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const NOTICE = /^These statuses cover the use of this service/

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant({ plan: 'team' })
})

const at = (id: string) => ({ tenant_id: acme.tenant_id, id })
const controlAt = (control_key: string, id = 'soc2') => ({ ...at(id), control_key })
const enable = (id: string, body = {}, { call } = acme) => call(compliance.enableFramework, { params: at(id), body })
const controls = (query = {}, id = 'soc2') => acme.call(compliance.listControls, { params: at(id), query })
const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id)
const CORE = ['soc2', 'gdpr', 'hipaa', 'iso27001']

describe('the frameworks of a tenant', () => {
  test('are all listed, the core ones first, and none is enabled at first', async () => {
    const { tenant_id, call } = await local.tenant()
    const list = (query = {}) => call(compliance.listFrameworks, { params: { tenant_id }, query })
    const all = await list()

    expect(idsOf(all)).toEqual([...CORE, 'iso42001', 'eu_ai_act', 'nist_ai_rmf'])
    expect(idsOf(await list({ group: 'core' }))).toEqual(CORE)
    expect(all.body.items[0]).toMatchObject({
      enabled: false,
      enabled_at: null,
      status: 'not_enabled',
      score: null,
      controls_total: 33,
      version: 1,
    })
    expect((await list({ group: 'other' })).status).toBe(400)
  })

  test('enabled, disabled and beyond the plan answer as they are told', async () => {
    expect(await enable('soc2', { scope: { availability: true } })).toMatchObject({
      status: 200,
      body: { enabled: true, status: 'in_progress', controls_total: 36, score: 0, version: 2 },
    })
    expect(await enable('soc2', { scope: { availability: true } })).toMatchObject({ status: 200, body: { version: 2 } })
    await enable('gdpr')
    expect(await enable('hipaa')).toMatchObject({ status: 403, body: { code: 'plan_limit' } })
    const off = await acme.call(compliance.disableFramework, { params: at('gdpr'), body: {} })
    expect(off).toMatchObject({ status: 200, body: { enabled: false, status: 'not_enabled', score: null } })
    expect(await enable('hipaa', { window_days: 6 })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'window_days'] }] },
    })
  })

  test('are those of one mode: the sandbox has its own', async () => {
    const { body } = await acme.as('sandbox').call(compliance.listFrameworks, { params: { tenant_id: acme.tenant_id } })

    expect(body.items.filter(({ enabled }: { enabled: boolean }) => enabled)).toEqual([])
  })

  test('show in the posture once they are enabled', async () => {
    const { body } = await acme.call(compliance.posture, { params: { tenant_id: acme.tenant_id } })

    expect(body).toMatchObject({ overall_score: 0, notice: expect.stringMatching(NOTICE) })
    expect(body.frameworks).toMatchObject([{ id: 'soc2', status: 'in_progress', controls_met: 0, controls_total: 36 }])
    expect(body.frameworks[0].next_actions).toHaveLength(10)
  })
})

describe('the controls of a framework', () => {
  test('can be filtered, and ordered by what they would gain', async () => {
    expect((await controls({ limit: 1 })).body).toMatchObject({ total: 61, notice: expect.stringMatching(NOTICE) })
    expect(idsOf(await controls({ family: 'A' }))).toEqual(['A1.1', 'A1.2', 'A1.3'])
    expect((await controls({ status: 'not_applicable' })).body.total).toBe(25)
    expect((await controls({ type: 'automatic', limit: 200 })).body.total).toBe(10)
    expect(idsOf(await controls({ q: 'cc6.1' }))).toEqual(['CC6.1'])
    const [first] = (await controls({ order: 'gain', check: 'GOV-01' })).body.items
    expect(first.checks.map(({ check_id }: { check_id: string }) => check_id)).toContain('GOV-01')
    expect((await controls({ check: 'GOV-99' })).status).toBe(400)
  })

  test('have an owner and a note, which a stale version does not change', async () => {
    const params = controlAt('cc6.1')
    const patch = (body: object) => acme.call(compliance.updateControl, { params, body })
    const first = await patch({ owner_user_id: acme.approver.id, note: 'Quarterly.' })
    const read = await acme.call(compliance.getControl, { params })

    expect(first).toMatchObject({ status: 200, body: { owner_user_id: acme.approver.id, version: 2, history: [] } })
    expect(read).toMatchObject({ status: 200, body: first.body, headers: { etag: '"v2"' } })
    expect(await patch({ note: 'Yearly.', version: 1 })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict' },
    })
    expect(idsOf(await controls({ owner: acme.approver.id }))).toEqual(['CC6.1'])
    expect(await patch({ owner_user_id: 'usr_nobody' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'owner_user_id'] }] },
    })
  })

  test('lose an owner who leaves, and the audit log tells all of it', async () => {
    await acme.call(users.delete, { params: { id: acme.approver.id } })
    const { body } = await acme.call(compliance.getControl, { params: controlAt('cc6.1') })
    const log = await acme.call(security.auditLogs, {
      params: { tenant_id: acme.tenant_id },
      query: { resource_type: 'control', resource_id: 'soc2.cc6.1' },
    })

    expect(body).toMatchObject({ owner_user_id: null, note: 'Quarterly.' })
    expect(log.body.items.map(({ action }: { action: string }) => action)).toEqual([
      'control.updated',
      'control.updated',
    ])
  })
})
