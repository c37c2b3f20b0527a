import { beforeEach, describe, expect, test } from 'vitest'
import { keyInserts, statusOf } from '../../../../shared/identity/access/api-key.ts'
import { newApiKey } from '../../../../shared/identity/access/create-key.ts'
import { findKey } from '../../../../shared/identity/access/key-view.ts'
import { auditEntries, resourcePartition } from '../../../../shared/ledger/audit/entry.ts'
import { type Context, systemContext } from '../../../../shared/base/context.ts'
import type { Stored } from '../../../../shared/base/table/entity.ts'
import { leaveBehindLater as leaveBehind } from '../../../../shared/people/credentials/leave-behind-later.ts'
import { deprovision } from '../../../../shared/identity/users/deprovision.ts'
import { findAnyUser } from '../../../../shared/identity/accounts/find.ts'
import { checkPassword } from '../../../../shared/identity/accounts/pool.ts'
import { restore } from '../../../../shared/identity/users/restore.ts'
import { emailHash, emails, type User } from '../../../../shared/identity/accounts/user.ts'
import { type Death, faults } from '../../../support/faults.ts'
import { personIn } from '../../../support/person.ts'
import { IP, newPerson, newSpace, PASSWORD } from '../../../support/pool.ts'
import { useLocalStack } from '../../../support/use-local-stack.ts'

const fault = faults()
const local = useLocalStack({ plugins: [fault.plugin] })
let space: ReturnType<typeof newSpace>
let ctx: Context
beforeEach(() => {
  space = newSpace()
  ctx = personIn(space, ['owner'], { id: 'usr_acting' })
})

/** A person with so many keys of their own and one that belongs to the tenant. */
async function somebody(keys = 1, over: Partial<User> = {}) {
  const user = await newPerson(space, over)
  const { id: user_id, tenant_id, username, email, created_at } = user
  const reservation = { tenant_id, username, user_id, state: 'complete' as const, last_sign_in_at: null, created_at }
  const ids: string[] = []
  for (let n = 0; n <= keys; n += 1) {
    const parts = { name: `key ${n}`, kind: 'live' as const, scopes: ['governance:read' as const], cap: [] }
    const { item } = await newApiKey(ctx, { ...parts, created_by: user_id, service: n === keys })
    await ctx.table.commit(keyInserts(item))
    ids.push(item.id)
  }
  await ctx.table.commit([emails.insert({ ...reservation, email_hash: emailHash(email ?? '') })])
  return { user, own: ids.slice(0, -1), service: ids.at(-1) ?? '' }
}

const present = (id: string) => findAnyUser(systemContext(space), id)
const keyStatus = async (id: string) => statusOf(await findKey(systemContext(space), id), local.clock.now())
const told = async (user: User, action: string) => {
  const pk = resourcePartition(space, { type: 'user', id: user.id })
  const entries = await systemContext(space).table.query(auditEntries, { pk, index: 'gsi2' })
  return entries.filter((entry) => entry.action === action)
}
const suspend = (user: Stored<User>) => deprovision(ctx, user, { to: 'suspended', source: 'api', leaveBehind })

describe('the end of somebody’s access', () => {
  test('ends their keys, spares those of the tenant, and sends one event', async () => {
    const { user, own, service } = await somebody(2)
    await suspend(user)

    expect(await present(user.id)).toMatchObject({ status: 'suspended', email: user.email })
    expect(await Promise.all(own.map(keyStatus))).toEqual(['revoked', 'revoked'])
    expect(await keyStatus(service)).toBe('active')
    expect(await checkPassword(user.username, PASSWORD, IP)).toBe('refused')
    await suspend(await present(user.id))
    expect(await told(user, 'user.suspended')).toHaveLength(1)
  })

  test('takes more keys than one transaction can hold', async () => {
    const { user, own } = await somebody(45)
    await suspend(user)

    expect(new Set(await Promise.all(own.map(keyStatus)))).toEqual(new Set(['revoked']))
  })

  test('for good leaves nothing of the person but an id, and frees the address', async () => {
    const { user } = await somebody()
    await deprovision(ctx, user, { to: 'deleted', source: 'scim', leaveBehind })

    expect(await present(user.id)).toMatchObject({ status: 'deleted', email: null, name: '', roles: [] })
    const reservation = { email_hash: emailHash(user.email ?? ''), tenant_id: space.tenant_id }
    expect(await ctx.table.get(emails, reservation)).toBeUndefined()
    const [entry] = await told(user, 'user.deleted')
    expect(entry).toMatchObject({
      outcome: 'success',
      changes: [{ path: 'status', before: 'active', after: 'deleted' }],
    })
  })

  test('may be for a while', async () => {
    const { user, own } = await somebody()
    const back = await restore(ctx, await suspend(user), 'api')

    expect(back.status).toBe('active')
    expect(await checkPassword(user.username, PASSWORD, IP)).not.toBe('refused')
    expect(await Promise.all(own.map(keyStatus))).toEqual(['revoked'])
  })
})

describe('the last active owner', () => {
  test('stays, for every caller', async () => {
    const { user } = await somebody(0, { roles: ['owner'] })
    await somebody(0, { roles: ['owner'], status: 'suspended' })
    await somebody(0, { roles: ['admin'] })
    const directory = systemContext(space)

    for (const to of ['suspended', 'deleted'] as const) {
      await expect(deprovision(directory, user, { to, source: 'scim', leaveBehind })).rejects.toMatchObject({
        kind: 'conflict',
      })
    }
    expect(await present(user.id)).toMatchObject({ status: 'active' })
  })

  test('stays when the last two are ended at the same moment', async () => {
    const [one, other] = [await somebody(0, { roles: ['owner'] }), await somebody(0, { roles: ['owner'] })]
    const directory = systemContext(space)
    const end = (user: Stored<User>) => deprovision(directory, user, { to: 'deleted', source: 'scim', leaveBehind })
    const results = await Promise.allSettled([end(one.user), end(other.user)])

    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const left = await Promise.all([present(one.user.id), present(other.user.id)])
    expect(left.filter(({ status }) => status === 'active')).toHaveLength(1)
  })
})

describe('a crash at any call', () => {
  const deaths: Death[] = [
    ...Array.from({ length: 10 }, (_, n) => ({ at: n + 1 })),
    { at: 1, lost: true, command: 'TransactWriteItemsCommand' },
  ]

  test.each(['suspended', 'deleted'] as const)(
    '%s: a repeated request ends everything, and one event is sent',
    async (to) => {
      let died = 0
      for (const death of deaths) {
        const { user, own } = await somebody()
        fault.die(death)
        await deprovision(ctx, user, { to, source: 'api', leaveBehind }).catch(() => undefined)
        if (fault.restart()) died += 1
        await deprovision(ctx, await present(user.id), { to, source: 'api', leaveBehind })

        const what = JSON.stringify(death)
        expect((await present(user.id)).status, what).toBe(to)
        expect(await Promise.all(own.map(keyStatus)), what).toEqual(['revoked'])
        expect(await checkPassword(user.username, PASSWORD, IP), what).toBe('refused')
        expect(await told(user, to === 'deleted' ? 'user.deleted' : 'user.suspended'), what).toHaveLength(1)
      }
      expect(died).toBeGreaterThan(5)
    },
  )
})
