// Changes by which one could pass for others: who may make them, and who hears of it.
import { beforeEach, describe, expect, test } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { anyRoute, bodyOf, paramsOf, routes } from '../../support/any-route.ts'
import type { Call, Reply } from '../../support/call.ts'
import { enrolTotp, showFactor } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { personWith } from '../../support/people.ts'
import { ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { configure, ownDomain, samlBody } from '../sso/saml-idp.ts'
import { newKey } from '../sso/forged.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
})

const MINUTE = 60_000
const wait = (ms: number) => local.clock.moveTo(local.clock.now() + ms)

const rows = routes.filter(({ inPerson }) => inPerson)
const params = () => ({ tenant_id: acme.tenant_id })
const ofRow = (route: Route) => (call: Call) =>
  anyRoute(call)(route, { params: paramsOf(route, acme.tenant_id), body: bodyOf(route) })
const mapGroups = (call: Call) =>
  call(tenants.update, { params: params(), body: { settings: { group_roles: [{ group: 'Staff', role: 'auditor' }] } } })
const directoryKey = (call: Call) =>
  call(keys.create, { body: { name: 'Directory', kind: 'live', scopes: ['admin'], service: true } })

const CHANGES: [string, (call: Call) => Promise<Reply>][] = [
  ...rows.map((route) => [`${route.method} ${route.path}`, ofRow(route)] as [string, (call: Call) => Promise<Reply>]),
  ['the roles that groups give', mapGroups],
  ['a key that a directory could use', directoryKey],
]

test('are single sign-on, custom roles, policies of sessions and factors, the accounts of others, delegations, and parts of others', () => {
  expect(rows.map(({ id }) => id).toSorted()).toEqual([
    'approvals-create-delegation',
    'auth-set-session-policy',
    'mfa-change-policy',
    'mfa-reset',
    'roles-create',
    'roles-delete',
    'roles-replace',
    'sso-configure',
    'sso-delete',
    'sso-unlink',
    'users-confirm',
  ])
})

describe.each(CHANGES)('%s', (name, change) => {
  test('403: no key makes it, nor a person who has not just shown a factor; each answer says what to do', async () => {
    const byKey = await change(acme.call)
    expect(byKey.status).toBe(403)
    if (!name.startsWith('a key')) expect(byKey.body.detail).toMatch(/^Only a person may do this, not an API key/)

    const without = await change(owner.call)
    expect(without).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/has none.*add one.*mfa\/totp/) },
    })

    await enrolTotp(local, owner)
    wait(10 * MINUTE)
    const stale = await change(owner.call)
    expect(stale).toMatchObject({ status: 403, body: { detail: expect.stringMatching(/Show one .*mfa\/verify/) } })
  })

  test('is made by an owner who has', async () => {
    await enrolTotp(local, owner)

    expect([401, 403, 500]).not.toContain((await change(owner.call)).status)
  })
})

test('a factor that is shown again in the session opens these changes again', async () => {
  const { app } = await enrolTotp(local, owner)
  wait(10 * MINUTE)
  expect((await mapGroups(owner.call)).status).toBe(403)
  await owner.call(mfa.verify, { body: { method: 'totp', code: app.nextCode() } })

  expect((await mapGroups(owner.call)).status).toBe(200)
})

test('what keys and people without a factor could always do, they still can', async () => {
  const settings = { require_human_approver: true, group_roles: [] }
  expect((await acme.call(tenants.update, { params: params(), body: { settings } })).status).toBe(200)
  const ask = { name: 'Reader', kind: 'live', scopes: ['governance:read'] }
  expect((await owner.call(keys.create, { body: ask })).status).toBe(201)
})

test('403: the key of a directory is not rotated by somebody who has not just shown a factor', async () => {
  const mine = await ownerInPerson(local, acme)
  const { body } = await directoryKey(mine.call)
  const rotate = (call: Call) => call(keys.rotate, { params: { id: body.id }, body: {} })

  expect((await rotate(owner.call)).status).toBe(403)
  expect((await rotate(mine.call)).status).toBe(201)
})

describe('an administrator who has shown a factor', () => {
  let admin: SignedIn
  beforeEach(async () => {
    admin = await showFactor(local, await personWith(local, owner, ['admin']))
  })

  test('403: decides neither on single sign-on nor on second factors, by which owners are let in', async () => {
    const body = samlBody(await ownDomain(acme), await newKey())
    const refused = { status: 403, body: { detail: expect.stringMatching(/^You cannot .* Ask an owner\.$/) } }

    expect(await configure(local, acme, body, admin.call)).toMatchObject(refused)
    expect(await admin.call(sso.delete, { params: params() })).toMatchObject(refused)
    expect(await admin.call(mfa.changePolicy, { params: params(), body: { enforcement: 'off' } })).toMatchObject(
      refused,
    )
  })

  test('403: neither gives nor takes by group what they do not hold', async () => {
    const boss = await ownerInPerson(local, acme)
    const map = (call: Call, ...roles: string[]) => {
      const settings = { group_roles: roles.map((role) => ({ group: 'Clerks', role })) }
      return call(tenants.update, { params: params(), body: { settings } })
    }

    expect((await map(admin.call, 'billing')).status).toBe(403)
    expect((await map(boss.call, 'billing')).status).toBe(200)
    expect((await map(admin.call)).status).toBe(403)
    expect((await map(admin.call, 'billing', 'auditor')).status).toBe(200)
  })
})

test('owners hear of every such change', async () => {
  const { call } = await ownerInPerson(local, acme)
  const done = [await mapGroups(call), await directoryKey(call)]
  const body = samlBody(await ownDomain(acme), await newKey())
  done.push(await configure(local, acme, body, call), await call(sso.delete, { params: params() }))
  const named = (operation: string) => rows.find(({ id }) => id === operation) ?? rows[0]
  for (const id of ['roles-create', 'roles-replace', 'roles-delete', 'auth-set-session-policy', 'mfa-change-policy']) {
    const route = named(id)
    if (!route) continue
    const replaced = id === 'roles-replace' ? { permissions: ['webhooks:write'] } : bodyOf(route)
    done.push(await anyRoute(call)(route, { params: paramsOf(route, acme.tenant_id, 'hook-keeper'), body: replaced }))
  }

  expect(done.map(({ status }) => status)).toEqual([200, 201, 200, 204, 201, 200, 204, 200, 200])
  const told = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'access_changed')
  expect(
    told.map(({ text }) => /changed (.*)\.\n/.exec(text)?.[1]).toSorted((a = '', b = '') => a.localeCompare(b)),
  ).toEqual([
    'single sign-on',
    'single sign-on',
    'the API keys that may administer',
    'the policy for second factors',
    'the role hook-keeper',
    'the role hook-keeper',
    'the role hook-keeper',
    'the roles that groups give',
    'the session policy',
  ])
})
