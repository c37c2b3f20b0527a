import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
beforeAll(async () => {
  acme = await governed(local)
  owner = await ownerInPerson(local, acme)
})

const at = (name: string, as: Governed = acme) => ({ params: { tenant_id: as.tenant_id, name } })
const save = (name: string, body: object, headers = {}) =>
  owner.call(security.saveCalendar, { ...at(name), body, headers })
const remove = (name: string) => acme.call(security.deleteCalendar, at(name))
const dates = ['2026-12-26', '2026-12-25', '2026-12-26']
const closed = (calendar: string, name = `closed on ${calendar}`) => ({
  name,
  effect: 'forbid',
  when: {
    not: {
      field: 'request.time',
      op: 'within',
      value: { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00', except: [calendar] },
    },
  },
})
const today = () => new Date(local.clock.now()).toISOString().slice(0, 10)

describe('PUT /api/v1/security/tenants/{tenant_id}/calendars/{name}', () => {
  test('201, then 200: dates are in order and stand once', async () => {
    const created = await save('de', { dates, note: 'Holidays' })

    expect(created.status).toBe(201)
    expect(created.headers.etag).toBe('"v1"')
    expect(created.body).toMatchObject({
      name: 'de',
      version: 1,
      dates: ['2026-12-25', '2026-12-26'],
      note: 'Holidays',
    })
    expect(await save('de', { dates: [] }, { 'If-Match': '"v1"' })).toMatchObject({
      status: 200,
      body: { version: 2, warnings: ['The calendar de has no dates. Add the dates of the coming year.'] },
    })
    expect(await save('de', { dates }, { 'If-Match': '"v1"' })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict' },
    })
  })

  test('a change of dates is in force from the next request on, with its evidence', async () => {
    await save('stop', { dates: [] })
    await acme.policy(closed('stop'))
    expect((await acme.execute('get_contact')).status).toBe(200)

    const events = await acme.told(async () => {
      expect((await save('stop', { dates: [today()] })).status).toBe(200)
    })

    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['evidence.emitted', expect.objectContaining({ artifact_type: 'policy.calendar.updated' })],
    ])
    expect((await acme.execute('get_contact')).status).toBe(403)
    await save('stop', { dates: [] })
    expect((await acme.execute('get_contact')).status).toBe(200)
  })

  test('422 for what is no date, 404 for what is no name', async () => {
    expect((await save('de', { dates: ['2026-02-30'] })).status).toBe(422)
    expect((await save('De', { dates })).status).toBe(404)
  })

  test('a policy can name only a calendar that exists', async () => {
    const reply = await acme.call(security.savePolicy, {
      params: { tenant_id: acme.tenant_id },
      body: closed('nowhere'),
    })

    expect(reply.status).toBe(422)
    expect(reply.body.detail).toEqual([
      expect.objectContaining({
        loc: ['body', 'when', 'not', 'value', 'except', 0],
        msg: 'is no calendar of this tenant',
      }),
    ])
  })
})

describe('GET /api/v1/security/tenants/{tenant_id}/calendars', () => {
  test('lists calendars by name, and policies without them', async () => {
    await save('b', { dates })
    await save('a', { dates })
    const params = { tenant_id: acme.tenant_id }
    const listed = await acme.call(security.listCalendars, { params })
    const names = listed.body.items.map(({ name }: { name: string }) => name)

    expect(names).toEqual(names.toSorted())
    expect(names).toContain('a')
    const policies = await acme.call(security.listPolicies, { params })
    expect(policies.body.items.every((one: { policy_id?: string }) => one.policy_id?.startsWith('pol_'))).toBe(true)
  })

  test('shows one to its own tenant alone', async () => {
    await save('mine', { dates })
    const other = await governed(local)

    expect(await acme.call(security.getCalendar, at('mine'))).toMatchObject({ status: 200, body: { name: 'mine' } })
    expect((await other.call(security.getCalendar, at('mine', other))).status).toBe(404)
  })
})

describe('DELETE /api/v1/security/tenants/{tenant_id}/calendars/{name}', () => {
  test('409 while a policy in force names it, then 204, then 404', async () => {
    await save('used', { dates })
    const { policy_id } = await acme.policy(closed('used'))

    expect(await remove('used')).toMatchObject({
      status: 409,
      body: { detail: `Policy ${policy_id} uses this calendar. Change or disable the policy first.` },
    })
    await owner.call(security.disablePolicy, { params: { tenant_id: acme.tenant_id, policy_id } })
    expect((await remove('used')).status).toBe(204)
    expect((await remove('used')).status).toBe(404)
    expect((await acme.execute('get_contact')).status).toBe(200)
  })
})
