// The report of each policy against a count by hand over 500 executions: what was asked is known, and what each rule makes of it
// is written down here in plain comparisons.
import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import type { Context } from '../../../shared/base/context.ts'
import { timeOfId } from '../../../shared/base/lib/ids.ts'
import { loadInputs } from '../../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../../shared/govern/executions/request.ts'
import { decideOn } from '../../../shared/govern/protocol/decide.ts'
import { submit } from '../../../shared/govern/protocol/submit.ts'
import { foldSpace } from '../../../shared/ledger/fold/fold.ts'
import { hitsFolder } from '../../../shared/ledger/hits/hit.ts'
import { metricsFolder } from '../../../shared/operate/metrics/folder.ts'
import { bodyOf, type Governed, governed, NODE_ID, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { stillClock } from '../../support/still-clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000
const clock = stillClock(Math.ceil(Date.now() / (24 * HOUR)) * 24 * HOUR + 10.5 * HOUR)
const local = useLocalStack({ clock })

type Action = 'get_contact' | 'update_contact' | 'delete_contact'
type Asked = {
  id: string
  at: number
  action: Action
  amount: number | undefined
  agent: string | null
  approval?: string
  /** Whether people approved, and after how many seconds. */
  answer?: { approved: boolean; after: number }
}
type Tier = 'AUTO' | 'SOFT' | 'HARD' | 'REJECT'
/** What a policy makes of an execution; undefined: it passes. */
type Made = { result: string; unknown?: boolean; change?: string } | undefined

const COUNT = 500
const ACTIONS: readonly Action[] = ['get_contact', 'update_contact', 'delete_contact']
const AMOUNTS = [undefined, 10, 60, 200]

const amount = (op: string, value: number) => ({ field: 'payload./amount', op, value })
const POLICIES = {
  asks: {
    effect: 'require_approval',
    scope: { action_kinds: ['update', 'delete'] },
    when: amount('gt', 100),
  },
  watches: { effect: 'forbid', mode: 'shadow', when: amount('gt', 50) },
  raises: { effect: 'min_tier', tier: 'SOFT', scope: { action_kinds: ['read'] } },
  forbids: { effect: 'forbid', scope: { action_kinds: ['read'] }, when: amount('eq', 200) },
  loosens: {
    effect: 'relax_to',
    tier: 'AUTO',
    mode: 'shadow',
    scope: { action_kinds: ['update'] },
    when: amount('lt', 50),
  },
}
type Name = keyof typeof POLICIES

/** Reads are raised, or forbidden at 200 and where the amount is unknown. Updates of 200, or unknown, are held. */
function decided({ action, amount: of }: Asked): Tier {
  if (action === 'get_contact') return of === 200 || of === undefined ? 'REJECT' : 'SOFT'
  if (action === 'update_contact') return of === 200 || of === undefined ? 'HARD' : 'SOFT'
  return 'HARD'
}

const BY_HAND: Record<Name, (asked: Asked) => Made> = {
  asks: ({ action, amount: of }) => {
    if (action === 'get_contact' || of === 10 || of === 60) return undefined
    const change = action === 'update_contact' ? { change: 'SOFT->HARD' } : {}
    return { result: 'require_approval', unknown: of === undefined, ...change }
  },
  watches: (asked) => {
    if (asked.amount === 10) return undefined
    const was = decided(asked)
    const change = was === 'REJECT' ? {} : { change: `${was}->REJECT` }
    return { result: 'shadow:forbid', unknown: asked.amount === undefined, ...change }
  },
  raises: (asked) => {
    if (asked.action !== 'get_contact') return undefined
    return { result: 'min_tier:SOFT', ...(decided(asked) === 'SOFT' && { change: 'AUTO->SOFT' }) }
  },
  forbids: (asked) =>
    asked.action === 'get_contact' && decided(asked) === 'REJECT'
      ? { result: 'forbid', unknown: asked.amount === undefined, change: 'SOFT->REJECT' }
      : undefined,
  loosens: ({ action, amount: of }) => {
    if (action !== 'update_contact' || of === 60 || of === 200) return undefined
    return of === 10
      ? { result: 'shadow:relax:AUTO', change: 'SOFT->AUTO' }
      : { result: 'shadow:indeterminate', unknown: true }
  },
}

let acme: Governed
const ids = new Map<string, string>()
const all: Asked[] = []
const reports = new Map<string, Awaited<ReturnType<typeof report>>>()

beforeAll(async () => {
  acme = await governed(local)
  await makeKey(acme, { id: 'key_1', agent_id: 'agt_1' })
  await acme.change({ max_open_approvals: COUNT, approval_ttl_s: 604_800 })
  for (const [name, policy] of Object.entries(POLICIES))
    ids.set(name, (await acme.policy({ name, ...policy })).policy_id)
  for (let n = 0; n < COUNT; n += 1) all.push(await executed(n))
  await local.drain()
  clock.moveTo(clock.now() + 130_000)
  const { ctx } = acme
  await foldSpace(ctx, [metricsFolder(ctx.space), hitsFolder(ctx.space)], Number.POSITIVE_INFINITY)
  for (const name of Object.keys(POLICIES))
    for (const window of ['24h', '7d']) reports.set(`${name} ${window}`, await report(name, window))
})

const report = async (name: string, window: string) =>
  bodyOf(
    await acme.call(security.policyReport, {
      params: { tenant_id: acme.tenant_id, policy_id: ids.get(name) ?? '' },
      query: { window },
    }),
    200,
  )

/** Kinds, amounts and callers in turn, over three days; some of what is held is decided on. */
async function executed(n: number): Promise<Asked> {
  clock.moveTo(clock.now() + (n % 40 === 39 ? 4 * HOUR : 1_000))
  const [action, of] = [ACTIONS[n % 3] ?? 'get_contact', AMOUNTS[(n * 7 + (n >> 4)) % 4]]
  const isAgent = n % 5 < 2
  const body = { node_id: NODE_ID, action_id: action, payload: { n, ...(of !== undefined && { amount: of }) } }
  const { id, held } = await request(isAgent ? byAgent() : requestOf(acme, acme.owner.id), body)
  const asked = { id, at: timeOfId(id), action, amount: of, agent: isAgent ? 'agt_1' : null }
  if (!held) return asked
  if (n % 7 > 2) return { ...asked, approval: held.id }
  const answer = { approved: n % 2 === 0, after: (n % 100) + 1 }
  clock.moveTo(asked.at + answer.after * 1_000)
  bodyOf(await (answer.approved ? acme.approve(held.id) : acme.reject(held.id)), 200)
  return { ...asked, approval: held.id, answer }
}

function byAgent(): Context {
  const ctx = requestOf(acme, acme.owner.id)
  return {
    ...ctx,
    principal: { ...ctx.principal, kind: 'api_key', credential: 'api_key', id: 'key_1', agent_id: 'agt_1' },
  }
}

async function request(ctx: Context, sent: object) {
  const body = ExecuteBody.parse(sent)
  return (await submit(ctx, await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body))).execution
}

function countsOf(names: readonly (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const CASES = Object.keys(POLICIES).flatMap((name) => ['24h', '7d'].map((window) => [name as Name, window] as const))

describe.each(CASES)('the report of "%s" over %s', (name, window) => {
  const told = () => reports.get(`${name} ${window}`)
  /** Those of the window that the policy did not let pass, as counted by hand. */
  const hits = () =>
    all
      .filter(({ at }) => at >= Date.parse(told().from))
      .flatMap((asked) => {
        const made = BY_HAND[name](asked)
        return made ? [{ ...asked, ...made, acts: made.result !== 'shadow:indeterminate' }] : []
      })

  test('tells how often it did what, to which actions, by whom and when', () => {
    const acting = hits().filter(({ acts }) => acts)
    const unknown = hits().filter((hit) => hit.unknown).length

    expect(told()).toMatchObject({
      executions: all.filter(({ at }) => at >= Date.parse(told().from)).length,
      fired: acting.length,
      by_result: countsOf(hits().map(({ result }) => result)),
      by_basis: { true: hits().length - unknown, unknown },
      by_change: countsOf(hits().map(({ change }) => change)),
    })
    expect(Object.fromEntries(told().by_action.map((one: Counted) => [one.action_id, one.fired]))).toEqual(
      countsOf(acting.map(({ action }) => action)),
    )
    expect(Object.fromEntries(told().by_agent.map((one: Counted) => [String(one.agent_id), one.fired]))).toEqual(
      countsOf(acting.map(({ agent }) => String(agent))),
    )
    expect(Object.fromEntries(told().by_day.map((one: Counted) => [one.date, one.fired]))).toEqual({
      ...Object.fromEntries(hits().map(({ at }) => [dayOf(at), 0])),
      ...countsOf(acting.map(({ at }) => dayOf(at))),
    })
    expect(told()).not.toHaveProperty('is_lower_bound')
  })

  test('tells the newest, and what became of them', () => {
    const asked = hits().filter(({ approval }) => approval !== undefined)
    const answers = asked.flatMap(({ answer }) => answer ?? [])
    const ordered = answers.map(({ after }) => after).toSorted((one, other) => one - other)
    const nearest = (share: number) => ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? null
    const to = countsOf(hits().map(({ change }) => change?.split('->')[1]))

    expect(told().samples).toEqual(
      hits()
        .map(({ id }) => id)
        .toReversed()
        .slice(0, 20),
    )
    expect(told().approvals).toEqual({
      would_add: to['HARD'] ?? 0,
      looked_up: hits().length,
      asked: asked.length,
      approved: answers.filter(({ approved }) => approved).length,
      rejected: answers.filter(({ approved }) => !approved).length,
      expired: 0,
      waiting: asked.length - answers.length,
      median_wait_s: nearest(0.5),
      p90_wait_s: nearest(0.9),
      waits_of: answers.length,
    })
  })
})

type Counted = { fired: number; action_id?: string; agent_id?: string | null; date?: string }

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

test('what was counted is of every kind, and some of it older than a day', () => {
  expect(all).toHaveLength(COUNT)
  expect(new Set(all.map((asked) => `${decided(asked)} ${asked.agent}`)).size).toBe(6)
  for (const window of ['24h', '7d'])
    for (const name of Object.keys(POLICIES)) expect(reports.get(`${name} ${window}`).fired).toBeGreaterThan(10)
  expect(reports.get('watches 24h').fired).toBeLessThan(reports.get('watches 7d').fired)
})
