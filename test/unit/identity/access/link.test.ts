import { beforeEach, describe, expect, test } from 'vitest'
import { createLink, links, readLink, useLink } from '../../../../shared/identity/access/link.ts'
import { hashOf } from '../../../../shared/identity/access/one-time.ts'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { type Context, setRuntime, systemContext } from '../../../../shared/base/context.ts'
import { NEW_USER, type User, users } from '../../../../shared/identity/accounts/user.ts'
import { intercept } from '../../../support/intercept.ts'
import { memorySecrets } from '../../../support/memory-aws.ts'
import { MemoryTable } from '../../../support/memory-table.ts'
import { stillClock } from '../../../support/still-clock.ts'

const HOUR = 3_600_000
const TENANT = 'ten_1'

const anna: User = {
  ...NEW_USER,
  id: 'user-1',
  tenant_id: TENANT,
  username: 'name-1',
  email: 'anna@example.com',
  email_verified: false,
  name: 'Anna',
  roles: [],
  status: 'active',
  source: 'register',
  created_at: '2026-11-20T00:00:00.000Z',
  updated_at: '2026-11-20T00:00:00.000Z',
}

let ctx: Context
let table: MemoryTable
const clock = stillClock()
beforeEach(async () => {
  Object.assign(process.env, { TABLE_NAME: 'countersign', SECRET_ID: 'secret', AWS_REGION: 'memory' })
  table = new MemoryTable(clock.now)
  const secrets = memorySecrets()
  resetClients([
    (client, service) => intercept(client, service === 'dynamodb' ? (command) => table.send(command) : secrets),
  ])
  setRuntime({ clock })
  ctx = systemContext({ tenant_id: TENANT, mode: 'live' })
  await ctx.table.commit([users.insert(anna)])
})

const make = (over: object = {}) =>
  createLink(ctx, {
    purpose: 'password_reset',
    tenant_id: TENANT,
    user_id: anna.id,
    email: 'anna@example.com',
    epoch: 0,
    life_ms: HOUR,
    ...over,
  })
const read = (token: string) => readLink(ctx.table, token, 'password_reset')
const over = expect.objectContaining({
  kind: 'unauthenticated',
  detail: 'This link or token is invalid or has expired. Start again to get a new one.',
})

/** Uses a link up as a verb does. */
async function use(token: string): Promise<void> {
  const open = await read(token)
  const { write, epochs } = useLink(open, ctx.now())
  await ctx.table.commit([write, users.replace({ ...open.user, epochs }, open.user)])
}

describe('a one-time link', () => {
  test('opens with its token, which the table does not know', async () => {
    const token = await make()

    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect((await read(token)).user).toMatchObject({ id: anna.id })
    expect(JSON.stringify(table.items('countersign'))).not.toContain(token)
    expect(await ctx.table.get(links, { hash: hashOf(token) })).toMatchObject({ purpose: 'password_reset' })
  })

  test('may be read until its last millisecond', async () => {
    const token = await make()
    const end = clock.now() + HOUR
    clock.moveTo(end - 1)
    expect((await read(token)).link.user_id).toBe(anna.id)

    clock.moveTo(end)
    await expect(read(token)).rejects.toEqual(over)
  })

  test('is for one purpose', async () => {
    await expect(read(await make({ purpose: 'verify_email' }))).rejects.toEqual(over)
    expect((await readLink(ctx.table, await make(), 'invitation', 'password_reset')).link.purpose).toBe(
      'password_reset',
    )
  })

  test('works once, and takes its siblings with it', async () => {
    const [token, sibling] = [await make(), await make()]
    await use(token)

    await expect(read(token)).rejects.toEqual(over)
    await expect(read(sibling)).rejects.toEqual(over)
    expect((await read(await make({ epoch: 1 }))).link.epoch).toBe(1)
  })

  test('leaves links for other purposes alone', async () => {
    const other = await make({ purpose: 'invitation' })
    await use(await make())

    expect((await readLink(ctx.table, other, 'invitation')).link.purpose).toBe('invitation')
  })

  test('of two that use it at the same moment one wins', async () => {
    const token = await make()
    const settled = await Promise.allSettled([use(token), use(token)])

    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('ends with its account', async () => {
    await expect(read(await make({ user_id: 'user-2' }))).rejects.toEqual(over)
    await expect(read('x'.repeat(43))).rejects.toEqual(over)
  })
})
