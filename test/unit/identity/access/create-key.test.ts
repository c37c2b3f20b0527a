import { beforeEach, describe, expect, test } from 'vitest'
import { statusOf } from '../../../../shared/identity/access/api-key.ts'
import { createKey, type KeyRequest } from '../../../../shared/identity/access/create-key.ts'
import { findKey } from '../../../../shared/identity/access/key-view.ts'
import { renameKey, rotateKey } from '../../../../shared/identity/access/rotate-key.ts'
import { revokeKey } from '../../../../shared/people/credentials/revoke-key.ts'
import { unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { users } from '../../../../shared/identity/accounts/user.ts'
import { accountIn, personIn } from '../../../support/person.ts'
import { rewrite } from '../../../support/rewrite.ts'
import { type Deployment, deploy, TABLE } from '../../edge/deployment.ts'

const DAY = 86_400_000

let service: Deployment
beforeEach(async () => {
  service = await deploy()
  for (const role of ['owner', 'admin', 'developer', 'member', 'billing']) await accountIn(service.space, [role])
})

const ask: KeyRequest = { name: 'CI', kind: 'live', scopes: ['governance:read'] }
const as = (...roles: string[]) => personIn(service.space, roles)
const create = (ctx = as('owner'), change: Partial<KeyRequest> = {}) => createKey(ctx, { ...ask, ...change })
const stored = (type: string) => service.table.items(TABLE).filter(({ _type }) => _type?.S === type)

describe('a new key', () => {
  test('is found by its id, and never stored in clear', async () => {
    const { secret, item } = await create()

    expect(await findKey(as('owner'), item.id)).toMatchObject({ id: item.id, hint: secret.slice(0, 12) })
    expect(JSON.stringify(service.table.items(TABLE))).not.toContain(secret)
  })

  test('holds what its creator could do, and no more', async () => {
    const { item } = await create(as('developer'), { scopes: ['governance:write'] })

    expect(item.cap).toContain('protocol:write')
    expect(item.cap).not.toContain('approvals:decide')
  })

  test.each([
    ['member', ['admin'], 'Only an owner or admin can give the scope admin. Ask one of them.'],
    ['developer', ['admin'], 'Only an owner or admin can give the scope admin. Ask one of them.'],
    [
      'billing',
      ['governance:read'],
      'You cannot give the scope governance:read, because you hold none of its permissions. Leave it out.',
    ],
  ] as const)('of a %s cannot have the scope %j', async (role, scopes, detail) => {
    await expect(create(as(role), { scopes })).rejects.toMatchObject({ kind: 'forbidden', detail })
  })

  test('belongs to the tenant only when an owner or admin says so', async () => {
    await expect(create(as('developer'), { service: true })).rejects.toMatchObject({ kind: 'forbidden' })
    expect((await create(as('admin'), { service: true })).item.service).toBe(true)
  })

  test.each([1, 30, 90])('lives %d days when asked to', async (expires_in_days) => {
    const { item } = await create(as('owner'), { expires_in_days })

    expect(Date.parse(item.expires_at) - Date.parse(item.created_at)).toBe(expires_in_days * DAY)
    expect(statusOf(item, Date.parse(item.expires_at) - 1)).toBe('active')
    expect(statusOf(item, Date.parse(item.expires_at))).toBe('expired')
  })

  test('of an agent that is not known yet announces the agent, the second one does not', async () => {
    await create(as('owner'), { agent_id: 'agt_support' })
    await create(as('owner'), { agent_id: 'agt_support' })

    const told = stored('OUTBOX').flatMap(({ events }) => unpackEvents(events?.S ?? '').events)
    expect(told.filter(({ type }) => type === 'agent.created')).toHaveLength(1)
    expect(stored('AGENT')).toHaveLength(1)
  })

  test('is the hundredth at most', async () => {
    for (let n = 0; n < 100; n += 1) await create()
    await expect(create()).rejects.toMatchObject({ kind: 'conflict' })

    const [first] = stored('APIKEYREF')
    await revokeKey(as('owner'), first?.id?.S ?? '')
    await create()
  })

  test('leaves an artifact and an audit entry that name neither key nor digest', async () => {
    const { secret, item } = await create()

    const [entry] = stored('AUDIT')
    expect(entry).toMatchObject({ action: { S: 'api_key.created' }, outcome: { S: 'success' } })
    const texts = JSON.stringify([...stored('AUDIT'), ...stored('EV'), ...stored('OUTBOX')])
    for (const hidden of [secret, item.digest, item.hint]) expect(texts).not.toContain(hidden)
  })
})

describe('rotation', () => {
  test('makes a key with the same rights; both are alive', async () => {
    const { item: was } = await create(as('developer'), { scopes: ['governance:write'], agent_id: 'agt_1' })
    const { secret, item } = await rotateKey(as('owner'), { id: was.id })

    expect(item).toMatchObject({ name: was.name, kind: was.kind, scopes: was.scopes, cap: was.cap, agent_id: 'agt_1' })
    expect(item.replaces).toBe(was.id)
    expect(secret).toMatch(/^ak_live_/)
    expect(statusOf(await findKey(as('owner'), was.id), service.clock.now())).toBe('active')
  })

  test('gives nobody a key that can do more than they can', async () => {
    const { item } = await create(as('owner'), { scopes: ['governance:write'] })

    await expect(rotateKey(as('developer'), { id: item.id })).rejects.toMatchObject({
      kind: 'forbidden',
      detail: expect.stringContaining('approvals:decide'),
    })
  })

  test('is refused for a key that is over', async () => {
    const { item } = await create()
    await revokeKey(as('owner'), item.id)

    await expect(rotateKey(as('owner'), { id: item.id })).rejects.toMatchObject({ kind: 'conflict' })
  })
})

describe('revocation', () => {
  test('happens once; the second time changes nothing', async () => {
    const { item } = await create()
    const first = await revokeKey(as('owner'), item.id)
    const second = await revokeKey(as('owner'), item.id)

    expect([first.repeated, second.repeated]).toEqual([false, true])
    expect(second.key.revoked_at).toBe(first.key.revoked_at)
    expect(stored('AUDIT').filter(({ action }) => action?.S === 'api_key.revoked')).toHaveLength(1)
  })
})

test('a person who is suspended at the same moment leaves no key', async () => {
  await rewrite(users, { ...service.space, id: 'usr_developer' }, { status: 'suspended' })

  await expect(create(as('developer'))).rejects.toMatchObject({ kind: 'forbidden' })
  expect(stored('APIKEY')).toEqual([])
})

test('a new name is all that changes', async () => {
  const { item } = await create()
  await renameKey(as('owner'), { id: item.id, name: 'Nightly build' })

  expect(await findKey(as('owner'), item.id)).toMatchObject({ ...item, name: 'Nightly build' })
})

test('another tenant’s key is like a missing one', async () => {
  const { item } = await create()
  const stranger = personIn({ tenant_id: 'ten_2', mode: 'live' }, ['owner'])

  const refusals = [findKey(stranger, item.id), findKey(as('owner'), 'key_missing')]
  for (const refusal of refusals) {
    await expect(refusal).rejects.toMatchObject({ kind: 'not_found', detail: 'API key not found' })
  }
})
