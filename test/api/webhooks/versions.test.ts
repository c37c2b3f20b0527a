import { beforeEach, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let id: string
beforeEach(async () => {
  acme = await local.tenant()
  id = (await acme.call(webhooks.create, { body: { name: 'A', url: 'https://8.8.8.8/hook', events: ['*'] } })).body.id
})

const read = (headers: Record<string, string> = {}) => acme.call(webhooks.get, { params: { id }, headers })
const rename = (name: string, headers: Record<string, string> = {}, more: object = {}) =>
  acme.call(webhooks.update, { params: { id }, headers, body: { name, ...more } })
const stale = { status: 409, body: { code: 'version_conflict', detail: expect.stringMatching(/at version 2/) } }

describe('a webhook endpoint', () => {
  test('200: shows its version as a tag, on reading and on changing', async () => {
    expect((await read()).headers.etag).toBe('"v1"')
    expect((await rename('B', { 'if-match': '"v1"' })).headers.etag).toBe('"v2"')
    expect((await read()).headers.etag).toBe('"v2"')
  })

  test('304: for who has the present version', async () => {
    expect(await read({ 'if-none-match': '"v1"' })).toMatchObject({ status: 304, body: undefined })
    await rename('B')

    expect(await read({ 'if-none-match': '"v1"' })).toMatchObject({ status: 200, body: { name: 'B' } })
  })

  test('409: of two changes of the same version one wins, and the other is told the present version', async () => {
    const replies = await Promise.all([rename('B', { 'if-match': '"v1"' }), rename('C', { 'if-match': '"v1"' })])
    const late = await rename('D', { 'if-match': '"v1"' })

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(late).toMatchObject(stale)
    mustBeRefusal(late)
  })

  test('400: If-Match and version in the body must agree', async () => {
    expect((await rename('B', { 'if-match': '"v1"' }, { version: 1 })).status).toBe(200)
    expect((await rename('C', { 'if-match': '"v2"' }, { version: 1 })).status).toBe(400)
  })

  test('409: a stale tag deletes nothing, the present one does', async () => {
    await rename('B')
    const remove = (tag: string) => acme.call(webhooks.delete, { params: { id }, headers: { 'if-match': tag } })

    expect(await remove('"v1"')).toMatchObject(stale)
    expect((await remove('"v2"')).status).toBe(204)
    expect((await read()).status).toBe(404)
  })
})

test('a policy shows its version as a tag', async () => {
  const { tenant_id } = acme
  const when = { field: 'action.kind', op: 'eq', value: 'delete' }
  const body = { name: 'No deletions', effect: 'forbid', when, message: 'never' }
  const { policy_id } = (await acme.call(security.savePolicy, { params: { tenant_id }, body })).body
  const params = { tenant_id, policy_id }

  expect((await acme.call(security.getPolicy, { params })).headers.etag).toBe('"v1"')
  const known = await acme.call(security.getPolicy, { params, headers: { 'if-none-match': '"v1"' } })
  expect(known.status).toBe(304)
})

test('409: a policy is neither changed nor disabled by who names a version that is gone', async () => {
  const { tenant_id } = acme
  const body = { name: 'No deletions', effect: 'forbid', mode: 'shadow' }
  const { policy_id } = (await acme.call(security.savePolicy, { params: { tenant_id }, body })).body
  const save = (tag: string) =>
    acme.call(security.savePolicy, {
      params: { tenant_id },
      body: { ...body, policy_id },
      headers: { 'if-match': tag },
    })
  const disable = (tag: string) =>
    acme.call(security.disablePolicy, { params: { tenant_id, policy_id }, headers: { 'if-match': tag } })

  expect(await save('"v1"')).toMatchObject({ status: 200, headers: { etag: '"v2"' } })
  expect(await save('"v1"')).toMatchObject(stale)
  expect(await disable('"v1"')).toMatchObject(stale)
  expect(await disable('"v2"')).toMatchObject({ status: 200, headers: { etag: '"v3"' } })
})
