// `npm run bench -- governance`: what the classification of an action and the evaluation of policies cost, with curves over the
// size of the payload and the number of policies. All of it is CPU of this process, so other processes disturb it little.
import { classify } from '../../shared/govern/governance/words/classify.ts'
import { compileSet } from '../../shared/govern/governance/conditions/compile.ts'
import { judge } from '../../shared/govern/governance/decide/evaluation.ts'
import { factsOf } from '../../shared/govern/governance/decide/policy-facts.ts'
import { PolicyBody } from '../../shared/govern/governance/policy.ts'
import { DEFAULT_SETTINGS } from '../../shared/govern/governance/settings.ts'

const BYTES = [256, 1_024, 4_096, 16_384, 65_536]
const POLICIES = [1, 10, 100, 200, 500, 1_000]
const GOALS = { classification: 40, thousandPolicies: 1_000, growth: 1.5 }

const node = { id: 'acme.shop.orders', name: 'Orders', version: '1.0.0', endpoints: [] }
const described = {
  action_id: 'update_order',
  description: 'Updates the lines of an order. Totals are computed again.',
}

/** Members as requests have them: ids, numbers, flags, a list and prose. */
function payloadOf(bytes: number) {
  const lines = []
  do {
    lines.push({ sku: `A-${lines.length}`, quantity: 2, note: 'Leave it at the back door, please.', gift: false })
  } while (JSON.stringify(lines).length < bytes - 100)
  return { order_id: 'ord_1', customer: 'cus_1', lines }
}

const RUNS = 7

/** Microseconds of CPU of one call: the median of several rounds, after rounds that warm up. */
function microseconds(call: () => unknown, calls: number): number {
  const rounds = Array.from({ length: 2 * RUNS }, () => {
    const from = process.cpuUsage()
    for (let i = 0; i < calls; i += 1) call()
    const { user, system } = process.cpuUsage(from)
    return (user + system) / calls
  })
  const sorted = rounds.slice(RUNS).toSorted((a, b) => a - b)
  return sorted[Math.floor(RUNS / 2)] ?? Number.NaN
}

const shown = (value: number) => Number(value.toFixed(2))

function classification(): boolean {
  let isMet = false
  const rows = BYTES.map((bytes) => {
    const payload = payloadOf(bytes)
    const calls = Math.ceil(1_000_000 / bytes)
    const known = microseconds(
      () => classify({ node, endpoint: described, payload, settings: DEFAULT_SETTINGS }),
      calls,
    )
    const first = microseconds(
      () => classify({ node, endpoint: { ...described }, payload, settings: DEFAULT_SETTINGS }),
      calls,
    )
    if (bytes === 1_024) isMet = known <= GOALS.classification
    return { 'bytes of payload': bytes, 'µs, action known': shown(known), 'µs, first time': shown(first) }
  })
  console.log('classification of one action')
  console.table(rows)
  console.log(`goal: at most ${GOALS.classification} µs with 1,024 bytes, action known`)
  return isMet
}

const policyOf = (i: number) => ({
  ...PolicyBody.parse({
    name: `policy ${i}`,
    effect: 'require_approval',
    scope: { action_ids: ['*_order'] },
    when: { all: [{ field: 'payload./order_id', op: 'eq', value: `ord_${i + 2}` }] },
    approval: { stages: [{ groups: ['role:approver'] }] },
  }),
  policy_id: `pol_${String(i).padStart(26, '0')}`,
  version: 1,
})

function evaluation(): boolean {
  const payload = payloadOf(1_024)
  const found = classify({ node, endpoint: described, payload, settings: DEFAULT_SETTINGS })
  const facts = factsOf({
    node,
    endpoint: described,
    listing_tier: 'development',
    classification: found,
    principal: { type: 'api_key', id: 'key_1', roles: ['developer'] },
    request: { at: 0 },
    plan: 'team',
    payload,
  })
  const rows = POLICIES.map((count) => {
    const set = compileSet(Array.from({ length: count }, (_, i) => policyOf(i)))
    const whole = microseconds(() => judge(set, facts), Math.ceil(50_000 / count))
    return { policies: count, µs: shown(whole), 'ns a policy': shown((1_000 * whole) / count) }
  })
  console.log('evaluation of policies in scope')
  console.table(rows)
  const [few, most] = [100, 1_000].map((count) => rows.find(({ policies }) => policies === count))
  console.log(
    `goal: at most ${GOALS.thousandPolicies} µs for 1,000, each of which costs at most ${GOALS.growth} × one of 100`,
  )
  if (!few || !most) return false
  return most.µs <= GOALS.thousandPolicies && most['ns a policy'] <= GOALS.growth * few['ns a policy']
}

export async function run(): Promise<void> {
  const isFast = classification()
  const isLinear = evaluation()
  console.log({ met: isFast && isLinear })
  if (!isFast || !isLinear) process.exitCode = 1
}
