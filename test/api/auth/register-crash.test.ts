// An account lives in two stores. Whatever dies between them, whoever tries again ends up with one account and one event.
import { describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { emailHash, emailPartition, emails } from '../../../shared/identity/accounts/user.ts'
import { faults } from '../../support/faults.ts'
import { faultyPool } from '../../support/faulty-pool.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { logIn, signedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const TEN_MINUTES = 600_000
const table = faults()
const pool = faultyPool()

const local = useLocalStack({ plugins: [table.plugin, pool.plugin] })

const register = (email: string) => local.call(auth.register, { body: { email, password: PASSWORD } })

/** One account that works, in one tenant, told once. */
async function mustBeWhole(email: string): Promise<void> {
  const rows = await openTable().query(emails, { pk: emailPartition(emailHash(email)) })
  expect(rows.map(({ state }) => state)).toEqual(['complete'])
  const { call, user_id } = signedIn(local, await logIn(local, { email }))
  await local.drain()
  const { body } = await call(events.list, { query: { limit: 100 } })
  const created = body.items.filter(({ type }: { type: string }) => type === 'user.created')
  expect(created.map(({ data }: { data: { user_id: string } }) => data.user_id)).toEqual([user_id])
}

describe.each([
  ['before it is made', false],
  ['after it was made', true],
] as const)('a process that dies at any call of the table, %s', (when, lost) => {
  test('leaves nothing that blocks the address for longer than ten minutes', async () => {
    let deaths = 0
    for (let at = 1; ; at += 1) {
      const email = `crash-${at}-${String(lost)}@globex.example`
      table.die({ at, lost })
      await register(email)
      if (!table.restart()) break
      deaths += 1
      await local.advance(TEN_MINUTES)

      expect([201, 409], `${at} ${when}`).toContain((await register(email)).status)
      await mustBeWhole(email)
    }
    expect(deaths, 'claim, reservation, look-up and account at the least').toBeGreaterThan(4)
  })
})

describe.each(['AdminCreateUser', 'AdminSetUserPassword'])('a pool that fails at %s', (operation) => {
  test.each([false, true])('leaves nothing that blocks the address at all (carried out: %s)', async (after) => {
    const email = `${operation.toLowerCase()}-${String(after)}@globex.example`
    pool.fail(operation, { after })
    const { status } = await register(email)
    pool.mend()

    // A user that was made although the answer was lost is found at the next try of the same request.
    expect(status).toBe(operation === 'AdminCreateUser' && after ? 201 : 503)
    if (status !== 201) expect((await register(email)).status).toBe(201)
    await mustBeWhole(email)
  })
})

test('409: while somebody is still at it, nobody else begins', async () => {
  const email = 'slow@globex.example'
  table.die({ at: 1, command: 'TransactWriteItemsCommand', lost: true })
  await register(email)
  table.restart()

  expect((await register(email)).status).toBe(409)
  await local.advance(TEN_MINUTES)
  expect((await register(email)).status).toBe(201)
})
