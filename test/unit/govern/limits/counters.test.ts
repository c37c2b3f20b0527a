import { expect, test } from 'vitest'
import { compileSet } from '../../../../shared/govern/governance/conditions/compile.ts'
import { fromTenThousandths, keyHash, plansFor, tenThousandths } from '../../../../shared/govern/limits/counters.ts'
import { packLimitUse, unpackLimitUse } from '../../../../shared/govern/limits/item.ts'
import { PastCounters } from '../../../../shared/govern/limits/usage.ts'
import { partiesOf } from '../../../../shared/govern/limits/parties.ts'
import { policyOf, questionOf } from '../governance/make.ts'

const key = { type: 'api_key', id: 'key_1', persons: ['usr_1'] }
const hourly = { measure: 'count', max: 20, window: '1h' } as const
const spend = { measure: 'sum', max: 3, window: '1h', currency: 'EUR', rates: { USD: 0.92 } } as const

async function plans(limits: readonly object[], payload = {}, hosts: readonly string[] | undefined = []) {
  const policies = limits.map((limit) => policyOf({ effect: 'forbid', limit: limit as typeof hourly }))
  const { facts } = questionOf({ payload })
  return plansFor(compileSet(policies), facts, await partiesOf(key, hosts, true))
}

test.each([
  ['4f53cda18c2baa0c0354bb5f9a3ecbe5', []],
  ['06bb0ef3ebac2d3185cf3512f220ad07', [['agent', 'agt_mailer']]],
  [
    'b20e0e0fde7a8422defab8a0e095c29d',
    [
      ['agent', 'agt_mailer'],
      ['recipient_domain', 'example.org'],
    ],
  ],
] as const)('%s names the counter of %j', (hash, values) => {
  expect(keyHash(values)).toBe(hash)
})

test('the agent is the bound one, else the credential, and never one that is only stated', async () => {
  const stated = { ...key, agent_id: 'agt_1' }

  expect(await partiesOf({ ...stated, agent_bound: true }, [], false)).toMatchObject({
    agent: 'agt_1',
    person: 'usr_1',
  })
  expect(await partiesOf(stated, [], false)).toMatchObject({ agent: 'key:key_1', principal: 'key_1' })
})

test('each registrable domain of the recipients has a counter', async () => {
  const per = { ...hourly, per: ['recipient_domain'] }
  const counted = async (hosts: string[]) => (await plans([per], {}, hosts))[0]?.counters?.map(({ hash }) => hash)

  expect(await counted(['mail.example.org', 'example.org', 'b.example.net'])).toEqual([
    keyHash([['recipient_domain', 'example.net']]),
    keyHash([['recipient_domain', 'example.org']]),
  ])
  expect(await counted([])).toEqual([])
  expect(await partiesOf(key, undefined, true)).toMatchObject({ recipient_domains: undefined })
  expect(await counted(['a.com', 'b.com', 'c.com', 'd.com', 'e.com'])).toBeUndefined()
})

test('eight counters are touched at most; what needs a ninth is unknown', async () => {
  const all = await plans(Array.from({ length: 9 }, (_, i) => ({ ...hourly, max: i + 1 })))

  expect(all.map(({ counters }) => counters?.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, undefined])
})

test.each([
  [{ amount: 2, currency: 'EUR' }, 20_000n],
  [{ amount: 2, currency: 'USD' }, 18_400n],
  [{ lines: [{ amount: 0.1 }, { amount: 0.2 }], currency: 'EUR' }, 3_000n],
  [{ lines: [{ amount: 2 }, { amount: '1,000' }], currency: 'EUR' }, undefined],
  [{ amount: 2, currency: 'GBP' }, undefined],
  [{ amount: 2 }, undefined],
  [{ currency: 'EUR' }, undefined],
  [{ amount: 900_000_000_001, currency: 'EUR' }, undefined],
])('%j adds %s', async (payload, n) => {
  expect((await plans([spend], payload))[0]?.counters?.[0]?.n).toBe(n)
})

test.each([
  [0.1, 1, 1_000n],
  [1e-7, 1, 1n],
  [3, 0.333_33, 10_000n],
  [1e21, 1, 10n ** 25n],
])('%d at a rate of %d is %s ten-thousandths, rounded up', (amount, rate, units) => {
  expect(tenThousandths(amount, rate)).toBe(units)
  expect(fromTenThousandths(tenThousandths(12.5))).toBe(12.5)
})

test('of 0.1 thirty pass a limit of 3, and the next does not', async () => {
  const each = await plans([spend], { amount: 0.1, currency: 'EUR' })
  const counters = new PastCounters()
  const passed = Array.from({ length: 31 }, (_, i) => {
    const over = counters.over(each, i)
    if (![...over.values()].includes(true)) counters.add(each, i, true)
    return ![...over.values()].includes(true)
  })

  expect(passed).toEqual([...Array.from({ length: 30 }, () => true), false])
})

test('what an execution notes of its counters can be read again', async () => {
  const [plan] = await plans([{ ...hourly, give_back: ['undone'] }])
  const added = (plan?.counters ?? []).map((counter) => ({ ...counter, shard: '00', bucket: 13_333 }))
  const [one] = unpackLimitUse(packLimitUse(added))

  expect(one).toMatchObject({ name: plan?.policy_id, hash: keyHash([]), shard: '00', n: 1n, bucket: 13_333 })
  expect([...(one?.give_back ?? [])]).toEqual(['undone'])
})
