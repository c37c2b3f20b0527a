import { beforeEach, describe, expect, test } from 'vitest'
import { mfa } from '../../../functions/mfa/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { showFactor } from '../../support/factors.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { mailsIn } from '../../support/mails.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let params: { tenant_id: string }
beforeEach(async () => {
  acme = await governed(local)
  owner = await signIn(local, acme.owner)
  params = { tenant_id: acme.tenant_id }
})

const update = (body: object, by = owner) => by.call(tenants.update, { params, body })

describe('GET and PATCH /api/v1/tenants/{tenant_id}', () => {
  test('200: shows every setting, and changes what is named', async () => {
    const { body: before } = await owner.call(tenants.get, { params })
    expect(before).toMatchObject({
      id: acme.tenant_id,
      plan: 'enterprise',
      status: 'active',
      settings: { group_roles: [], require_human_approver: false, governance: { unknown_tier: 'HARD' } },
    })

    const reply = await update({ name: 'Acme Ltd', settings: { governance: { bulk_limit: 7 } } })
    expect(reply, JSON.stringify(reply.body)).toMatchObject({
      status: 200,
      body: { name: 'Acme Ltd', settings: { governance: { ...before.settings.governance, bulk_limit: 7 } } },
    })
    expect((await owner.call(tenants.get, { params })).body).toEqual(reply.body)
    expect(reply.headers.etag).toBe(`"v${reply.body.version}"`)
  })

  test('403: settings need a second factor shown lately where the tenant wants one', async () => {
    await showFactor(local, owner)
    expect((await owner.call(mfa.changePolicy, { params, body: { step_up_minutes: 5 } })).status).toBe(200)
    local.clock.moveTo(local.clock.now() + 300_000)

    expect(await update({ settings: { allow_self_approval: true } })).toMatchObject({
      status: 403,
      body: {
        detail:
          'This needs a second factor that you have shown recently. Show one (POST /api/v1/auth/mfa/verify) and repeat the request.',
      },
    })
    expect((await update({ name: 'Acme Ltd' })).status).toBe(200)
  })

  test('require_human_approver: a key decides no longer, a person still does', async () => {
    await update({ settings: { require_human_approver: true } })
    const held = await acme.held()

    expect(await acme.approve(held.approval.id)).toMatchObject({
      status: 403,
      body: { code: 'person_required' },
    })
    const approver = await signIn(local, acme.approver)
    expect((await acme.approve(held.approval.id, {}, { key: approver.access_token })).status).toBe(200)
  })

  test('require_human_approver: null lets the kind of the action decide again', async () => {
    const both = async (value: boolean | null) => {
      const { body } = await update({ settings: { require_human_approver: value } })
      return [body.settings.require_human_approver, body.settings.governance.require_human_approver]
    }
    const { approval } = await acme.held()
    await showFactor(local, owner)

    expect(await both(true)).toEqual([true, true])
    expect(await both(null)).toEqual([null, null])
    expect(await acme.approve(approval.id)).toMatchObject({ status: 403, body: { code: 'person_required' } })
  })

  test('allow_self_approval: an owner approves what their own key asked for', async () => {
    const own = (id: string) => acme.approve(id, {}, { key: owner.access_token })
    const held = await acme.held()
    expect((await own(held.approval.id)).status).toBe(403)

    await showFactor(local, owner)
    await update({ settings: { allow_self_approval: true } })
    const again = await acme.held()
    expect(await own(again.approval.id)).toMatchObject({ status: 200, body: { votes: [{ self: true }] } })
  })

  test('403: a group gives only roles that the caller could give', async () => {
    await showFactor(local, owner)
    await owner.call(roles.create, { body: { name: 'settler', permissions: ['tenant:security', 'users:read'] } })
    await owner.call(users.setRoles, { params: { id: acme.approver.id }, body: { roles: ['settler'] } })
    const settler = await showFactor(local, await signIn(local, acme.approver))
    const groups = (role: string) => ({ settings: { group_roles: [{ group: 'Staff', role }] } })

    expect((await update(groups('admin'), settler)).status).toBe(403)
    expect((await update(groups('settler'), settler)).status).toBe(200)
  })

  test.each([
    ['a group of owners', { settings: { group_roles: [{ group: 'Bosses', role: 'owner' }] } }],
    ['a role that there is not', { settings: { group_roles: [{ group: 'Staff', role: 'wizard' }] } }],
    [
      'two values of one setting',
      { settings: { allow_self_approval: true, governance: { allow_self_approval: false } } },
    ],
    ['a figure out of range', { settings: { governance: { trust_floor: 101 } } }],
    ['an unknown setting', { settings: { colour: 'red' } }],
    ['an empty name', { name: '' }],
  ])('422: refuses %s', async (_, body) => {
    await showFactor(local, owner)
    expect((await update(body)).status).toBe(422)
  })

  test('409: a change made for another version', async () => {
    expect((await update({ name: 'x', version: 99 })).status).toBe(409)
  })

  test('403: needs the permission', async () => {
    const approver = await signIn(local, acme.approver)

    expect((await approver.call(tenants.get, { params })).status).toBe(200)
    expect((await update({ name: 'x' }, approver)).status).toBe(403)
  })
})

describe('POST /api/v1/tenants', () => {
  test('201: the caller is invited to a tenant of its own, in which their other account counts for nothing', async () => {
    const { status, body } = await owner.call(tenants.create, { body: { name: 'Second' } })

    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({
      tenant: { name: 'Second', plan: 'free', status: 'active' },
      owner: { email: acme.owner.email, roles: ['owner'], status: 'invited' },
    })
    expect(body.tenant.id).not.toBe(acme.tenant_id)
    expect((await owner.call(tenants.get, { params: { tenant_id: body.tenant.id } })).status).toBe(404)
    await local.drain()
    const mail = mailsIn(local.directory).findLast(({ kind }) => kind === 'invitation')
    expect([mail?.to].flat()).toContain(acme.owner.email)
  })

  test('201: a repeat with the same Idempotency-Key founds no second one', async () => {
    const found = () => owner.call(tenants.create, { body: { name: 'Second' }, headers: { 'idempotency-key': 'once' } })
    const [first, again] = [await found(), await found()]

    expect(again).toMatchObject({ status: 201, body: { tenant: { id: first.body.tenant.id } } })
  })

  test('403: keys found no tenants', async () => {
    expect((await acme.call(tenants.create, { body: { name: 'Second' } })).status).toBe(403)
  })
})

describe('DELETE /api/v1/tenants/{tenant_id}', () => {
  test('204: every credential is refused, and nothing is deleted', async () => {
    const { name } = (await owner.call(tenants.get, { params })).body
    expect((await owner.call(tenants.close, { params, body: { confirm: 'yes' } })).status).toBe(422)

    expect((await owner.call(tenants.close, { params, body: { confirm: name } })).status).toBe(204)
    local.clock.moveTo(local.clock.now() + 30_000)
    for (const key of [acme.live_key, acme.test_key, owner.access_token]) {
      const reply = await local.call(protocol.listManifests, { key })
      expect(reply).toMatchObject({ status: 403, body: { detail: 'Your tenant is closed. Ask an owner of it.' } })
    }
  })

  test('403: is for owners', async () => {
    await owner.call(users.setRoles, { params: { id: acme.approver.id }, body: { roles: ['admin'] } })
    const admin = await signIn(local, acme.approver)

    expect((await admin.call(tenants.close, { params, body: { confirm: 'x' } })).status).toBe(403)
  })
})
