// A grant pins what was approved: what else runs under it differs only where the policies say so.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { grants, grantsKey } from '../../../shared/govern/approvals/grants/grant.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { tamper } from '../../support/insider.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local, [{ action_id: 'update_contact' }, { action_id: 'run_command' }])
})

const asks = (named: object = {}) => ({
  name: 'a person decides',
  effect: 'require_approval',
  approval: { stages: [{ groups: ['any'] }], grant: { max_s: 3_600, max_uses: 9, ...named } },
})
const PAYLOAD = { contact: 'con_1', note: 'as asked', amount: 10, currency: 'EUR' }

const run = async (payload: object, action_id = 'update_contact') => (await acme.execute(action_id, { payload })).status
const changed = (change: object) => run({ ...PAYLOAD, ...change })
const allow = async (payload: object = PAYLOAD, action_id?: string) => {
  const { approval } = await acme.held(action_id ?? 'update_contact', { payload })
  const { grant_id } = bodyOf(await acme.approve(approval.id, { allow_for_s: 3_600 }), 200)
  expect(grant_id).toMatch(/^grt_/)
}

describe('a grant', () => {
  test('for one command runs that command, and no other', async () => {
    await acme.policy(asks())
    await allow({ command: 'ls -la' }, 'run_command')
    expect(await run({ command: 'rm -rf /' }, 'run_command')).toBe(202)
    expect(await run({ command: 'ls' }, 'run_command')).toBe(202)
    expect(await run({ command: 'ls -la', cwd: '/etc' }, 'run_command')).toBe(202)
    expect(await run({ command: 'ls -la' }, 'run_command')).toBe(200)
  })

  test('serves another value of a free member, unless it says what is done, to what, to whom or for how much', async () => {
    await acme.policy(asks({ free: ['/note'] }))
    await allow()
    expect(await changed({ note: 'something else' })).toBe(200)
    expect(await run({ contact: 'con_1', amount: 10, currency: 'EUR' })).toBe(200)
    for (const note of [{ amount: 5 }, { to: 'ann' }, { id: 'x' }, 'DROP TABLE users', 'rm -rf /', 'eve@x.example'])
      expect([note, await changed({ note })]).toEqual([note, 202])
    expect(await changed({ contact: 'con_2' })).toBe(202)
  })

  test('for a free member with such a value serves that value only', async () => {
    await acme.policy(asks({ free: ['/note'] }))
    await allow({ ...PAYLOAD, note: 'ls -la | tee /tmp/x' })
    expect(await changed({})).toBe(202)
    expect(await changed({ note: 'ls -la | tee /tmp/x' })).toBe(200)
  })

  test('serves a smaller number where the policy bounds it by the approved one', async () => {
    await acme.policy(asks({ at_most: ['/amount'] }))
    await allow()
    expect(await changed({ amount: 9.99 })).toBe(200)
    for (const amount of [10.01, -1, '9', null, [9]]) expect([amount, await changed({ amount })]).toEqual([amount, 202])
    expect(await run({ contact: 'con_1', note: 'as asked', currency: 'EUR' })).toBe(202)
    expect(await changed({ amount: 9, currency: 'USD' })).toBe(202)
  })

  test('is hidden neither by newer ones for other payloads, nor by narrower ones', async () => {
    await acme.policy(asks({ at_most: ['/amount'] }))
    const others = ['a', 'b', 'c', 'd', 'e', 'f'].map((contact) => ({ ...PAYLOAD, contact }))
    const narrower = [1, 2, 3, 4, 5, 6].map((amount) => ({ ...PAYLOAD, amount }))
    const ids: string[] = []
    for (const payload of [PAYLOAD, ...narrower, ...others])
      ids.push((await acme.held('update_contact', { payload })).approval.id)
    for (const id of ids) {
      bodyOf(await acme.approve(id, { allow_for_s: 3_600 }), 200)
      local.clock.moveTo(local.clock.now() + 1_000)
    }
    expect(await changed({})).toBe(200)
  })

  test('of which the pin was taken away runs nothing', async () => {
    await acme.policy(asks())
    await allow()
    const [row] = await acme.ctx.table.query(grants, { pk: grantsKey(acme.ctx.space), index: 'gsi1' })
    if (!row) throw new Error('there is no grant')
    expect(await changed({})).toBe(200)
    await tamper(grants.key(row), { pinned: undefined })
    expect(await changed({})).toBe(202)
  })
})

describe('the members that may differ', () => {
  test('are shown before the vote by the detail, and afterwards by the grant', async () => {
    await acme.policy(asks({ free: ['/note'], at_most: ['/amount', '/rows'] }))
    const { approval } = await acme.held('update_contact', { payload: PAYLOAD })
    const named = { free: ['/note'], at_most: ['/amount', '/rows'] }
    expect((await acme.approval(approval.id)).grant).toMatchObject(named)
    bodyOf(await acme.approve(approval.id, { allow_for_s: 3_600 }), 200)
    const [grant] = bodyOf(await acme.call(approvals.listGrants), 200).items
    expect(grant).toMatchObject({ free: ['/note'], at_most: ['/amount'] })
    expect(grant).not.toHaveProperty('pinned')
  })

  test.each<[string, object, string]>([
    ['no pointers', { free: ['note'] }, 'free'],
    ['elements of lists', { at_most: ['/lines/*/amount'] }, 'at_most'],
    ['recipients', { free: ['/to'] }, 'free'],
    ['amounts that nothing bounds', { free: ['/amount'] }, 'free'],
    ['commands', { at_most: ['/command'] }, 'at_most'],
    ['one member twice', { free: ['/note'], at_most: ['/note'] }, 'free'],
  ])('422: they may not be %s', async (_what, named, list) => {
    const params = { tenant_id: acme.tenant_id }
    const { status, body } = await acme.call(security.savePolicy, { params, body: asks(named) })
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'approval', 'grant', list, 0]])
  })
})
