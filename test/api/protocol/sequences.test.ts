import { beforeEach, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { readAhead, readRecentActions } from '../../../shared/govern/executions/recent-actions.ts'
import { activeGovernance } from '../../../shared/govern/governance/governance.ts'
import type { Caller } from '../../../shared/govern/learned/learned-for.ts'
import { bodyOf, executeFor, type Governed, governed, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { json, startTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE_MS = 60_000
const AFTER = { kinds: ['update'], within: '10m', per: 'agent' }

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const policyOf = (after: object, more: object = {}) => ({
  name: 'no reads after an update',
  effect: 'forbid',
  scope: { action_kinds: ['read'] },
  after: { ...AFTER, ...after },
  ...more,
})
const read = async (key?: string, body: object = {}) => (await acme.execute('get_contact', body, { key })).status
const update = async (key?: string) => bodyOf(await acme.execute('update_contact', {}, { key }), 200)

describe('a policy with after', () => {
  test('acts for a while after the source ran, and not before', async () => {
    await acme.policy(policyOf({}))
    expect(await read()).toBe(200)
    await update()

    const refused = await acme.execute('get_contact')
    expect(refused.status).toBe(403)
    expect(
      refused.body.receipt.policy_evaluations.find(({ result }: { result: string }) => result === 'forbid').why,
    ).toEqual([{ field: 'after', op: 'within', outcome: 'true' }])
    await local.advance(10 * MINUTE_MS)
    expect(await read()).toBe(403)
    await local.advance(2 * MINUTE_MS)
    expect(await read()).toBe(200)
  })

  test('goes by the agent that is bound, and never by a name that a request states', async () => {
    await acme.policy(policyOf({}))
    const [one, other] = [await makeKey(acme, { agent_id: 'agt_a' }), await makeKey(acme, { agent_id: 'agt_a' })]
    await update(one)

    expect(await read(other)).toBe(403)
    expect(await read()).toBe(200)
    await update()
    expect(await read(undefined, { policy_context: { agent_id: 'agt_new' } })).toBe(403)
  })

  test('per person holds for every key of that person', async () => {
    await acme.policy(policyOf({ per: 'person' }))
    await update(await makeKey(acme))

    expect(await read(await makeKey(acme))).toBe(403)
  })

  test('sees no mark of what was refused, and one of what was held when it runs', async () => {
    await acme.policy({ name: 'stop', effect: 'forbid', scope: { action_ids: ['update_contact'] } })
    await acme.policy(policyOf({ kinds: ['update', 'delete'] }))
    expect((await acme.execute('update_contact')).status).toBe(403)
    const { approval } = await acme.held()
    expect(await read()).toBe(200)
    bodyOf(await acme.approve(approval.id), 200)

    expect(await read()).toBe(403)
  })

  test('does not act on what leaves no mark', async () => {
    await acme.policy(policyOf({ kinds: [], categories: ['vault'] }))
    await update()

    expect(await read()).toBe(200)
  })
})

describe('a policy after what a target answered', () => {
  test('acts once personal data came back', async () => {
    const target = await startTarget()
    target.next(json(200, { email: 'ada.lovelace@partner.example' }))
    const called = { action_id: 'get_profile', target: { type: 'http', url: target.url } }
    acme = await governed(local, [{ action_id: 'get_contact' }, called])
    await acme.policy(policyOf({ kinds: [], output: ['pii'] }))
    expect(await read()).toBe(200)
    bodyOf(await acme.execute('get_profile'), 200)

    expect(await read()).toBe(403)
    await target.stop()
  })
})

describe('the form of after', () => {
  const save = (body: object) => acme.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, body })

  test.each([
    ['a source', policyOf({ kinds: [] })],
    ['one kind of source', policyOf({ output: ['pii'] })],
    ['a time of at most a day', policyOf({ within: '25h' })],
    [
      'an effect that tightens',
      policyOf({}, { effect: 'relax_to', tier: 'AUTO', when: { field: 'action.risk', op: 'lt', value: 50 } }),
    ],
  ])('needs %s', async (_, body) => {
    expect((await save(body)).status).toBe(422)
  })

  test('warns of the trace, which is the word of the caller', async () => {
    expect(bodyOf(await save(policyOf({ per: 'trace' })), 201).warnings).toEqual([
      'The policy goes by the trace, which the caller names. A caller who names another trace avoids it.',
    ])
  })

  test('409: the eleventh', async () => {
    for (let n = 1; n <= 10; n += 1) await acme.policy(policyOf({ within: `${n}m` }, { name: `policy ${n}` }))

    expect(await save(policyOf({ within: '11m' }))).toMatchObject({
      status: 409,
      body: { detail: 'You have 10 enabled policies with after, which is the most. Disable one of them first.' },
    })
  })
})

describe('marks that are read with the first reads of a request', () => {
  const named = async (caller: Caller | undefined) => {
    const found = await readAhead(acme.ctx.table, acme.ctx.space, caller)
    return [...found.keys()].map((name) => decodeURIComponent(name))
  }

  test('are those that the policies seen last ask for, of whom the credential was last seen to belong to', async () => {
    const caller: Caller = { kind: 'api_key', id: 'key_1', agent_id: 'agt_a', persons: ['usr_1'] }
    expect(await named(caller)).toEqual([])
    for (const per of ['agent', 'principal', 'person', 'trace']) await acme.policy(policyOf({ per }, { name: per }))
    expect(await named(caller)).toEqual([])
    await read()

    expect(await named(caller)).toEqual(['agent:agent:agt_a', 'principal:api_key:key_1', 'person:usr_1'])
    expect(await named({ kind: 'client', id: 'cli_1' })).toEqual(['agent:client:cli_1', 'principal:client:cli_1'])
    expect(await named(undefined)).toEqual([])
  })

  test('are read again for whoever it turns out to be', async () => {
    const { policy_id } = await acme.policy(policyOf({}))
    await executeFor(requestOf(acme, 'usr_1'), 'update_contact')
    const { table, space } = acme.ctx
    const { set } = await activeGovernance(table, space)
    const actor = (id: string) => ({ requested_by: { type: 'user' as const, id }, persons: [id], trace_id: '' })
    const [own, other] = ['usr_1', 'usr_2']
    const marked = async (id: string, aheadOf: string) => {
      const ahead = await readAhead(table, space, { kind: 'user', id: aheadOf })
      return (await readRecentActions(acme.ctx, set, actor(id), ahead)).get(policy_id)
    }

    const until = await marked(own, own)
    expect(until).toBeGreaterThan(local.clock.now() / 1_000)
    expect(await marked(own, other)).toBe(until)
    expect([await marked(other, own), await marked(other, other)]).toEqual([0, 0])
  })
})
