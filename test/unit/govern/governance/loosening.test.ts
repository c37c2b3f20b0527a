import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cond, isAtLeast } from '../../../../shared/govern/governance/conditions/condition.ts'
import { classify } from '../../../../shared/govern/governance/words/classify.ts'
import { compileCondition, compileSet } from '../../../../shared/govern/governance/conditions/compile.ts'
import { type Decision, evaluate } from '../../../../shared/govern/governance/decide/evaluate.ts'
import type { LexiconWords } from '../../../../shared/govern/governance/stored-rules.ts'
import {
  looseningOfCalendar,
  looseningOfLexicon,
  looseningOfPolicy,
  looseningOfSettings,
} from '../../../../shared/govern/governance/loosening.ts'
import type { Policy } from '../../../../shared/govern/governance/policy.ts'
import { DEFAULT_SETTINGS, type GovernanceSettings, PII_MODES } from '../../../../shared/govern/governance/settings.ts'
import type { Truth } from '../../../../shared/govern/governance/decide/evaluation.ts'
import { TIERS } from '../../../../shared/base/catalog/kinds.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { runs } from '../../../support/runs.ts'
import { NODE, policyOf, questionOf } from './make.ts'

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const leaf: fc.Arbitrary<Cond> = fc.oneof(
  fc.record({
    field: fc.constantFrom('action.risk', 'agent.trust', 'payload./amount', 'payload./items/*/price'),
    op: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
    value: fc.constantFrom(5, 35, 40),
  }),
  fc.record({
    field: fc.constantFrom('action.kind', 'context.ticket', 'payload./items/*/sku'),
    op: fc.constantFrom('in' as const, 'not_in' as const),
    value: fc.subarray(['delete', 'update', 'T-1'], { minLength: 1 }),
  }),
  fc.record({
    field: fc.constantFrom('principal.roles', 'signals.url_hosts'),
    op: fc.constantFrom('any_in' as const, 'none_in' as const, 'all_in' as const),
    value: fc.subarray(['owner', 'developer', 'evil.example'], { minLength: 1 }),
  }),
  fc.constant<Cond>({ field: 'signals.external_domains', op: 'domain_in', value: 'partner.example' }),
)
const { cond } = fc.letrec<{ cond: Cond }>((tie) => ({
  cond: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('cond'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('cond'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('cond').map((not) => ({ not })),
  ),
}))
/** A condition and one that is made of it, so that some pairs are comparable. */
const pair: fc.Arbitrary<[Cond, Cond]> = fc.oneof(
  fc.tuple(cond, cond),
  fc.tuple(cond, cond, fc.nat(5)).map(([one, other, how]): [Cond, Cond] => {
    const made: Cond[] = [
      { all: [one, other] },
      { any: [other, one] },
      { not: { all: [{ not: one }, other] } },
      { all: [{ any: [one, other] }] },
      one,
    ]
    return [one, made[how] ?? { not: one }]
  }),
  fc
    .tuple(leaf, leaf)
    .map(([one, other]): [Cond, Cond] => [
      'field' in one ? { ...one, ...('value' in other ? { value: other.value } : {}) } : one,
      one,
    ]),
)

const scene = fc.record(
  {
    action_id: fc.constantFrom('get_order', 'update_order', 'restart_server', 'delete_order', 'frobnicate'),
    payload: fc.constantFrom<Json>(
      {},
      {
        amount: 5,
        items: [
          { sku: 'T-1', price: 4 },
          { sku: 'x', price: 50 },
        ],
      },
      { amount: 500, to: 'x@partner.example', items: [{ sku: 'delete', price: 36 }] },
      { id: '*', to: ['x@evil.example'], ids: [1, 2, 3, 4, 5, 6] },
      { text: 'https://evil.example/ 4111 1111 1111 1111' },
    ),
    context: fc.constantFrom({}, { ticket: 'T-1' }, { ticket: 7 }),
    agent: fc.constantFrom(undefined, { id: 'agt_1', bound: true }),
    standing: fc.constantFrom(undefined, { trust: 30, executions: 9 }, { trust: 60, executions: 10 }),
    trust: some(fc.nat(100)),
    openApprovals: some(fc.nat(60)),
    undo: fc.constantFrom(undefined, { exact: true }),
    endpoint: fc.record(
      {
        approval_required: fc.boolean(),
        undo_action_id: fc.constant('undo'),
        annotations: fc.record({ irreversible: fc.boolean() }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['action_id', 'payload'] },
)

const GROUPS = ['any', 'role:owner', 'role:admin', 'user:eve']
const stage = fc.record({
  groups: fc.subarray(GROUPS, { minLength: 1, maxLength: 2 }),
  min_approvals: fc.integer({ min: 1, max: 2 }),
  mode: fc.constantFrom('any' as const, 'each' as const),
})
const approval = fc.record({
  stages: fc.array(stage, { minLength: 1, maxLength: 2 }),
  allow_self: some(fc.boolean()),
  grant: some(fc.record({ max_s: fc.constantFrom(60, 600), max_uses: fc.constantFrom(1, 5) })),
  escalate_after_s: some(fc.constantFrom(60, 600)),
  escalate_to: some(fc.subarray(GROUPS, { minLength: 1, maxLength: 2 })),
})
const effect = fc.oneof(
  fc.constant({ effect: 'forbid' as const }),
  approval.map((asks) => ({ effect: 'require_approval' as const, approval: asks })),
  fc.constant({ effect: 'require_approval' as const }),
  fc.constantFrom('SOFT' as const, 'HARD' as const).map((tier) => ({ effect: 'min_tier' as const, tier })),
  fc.constant({ effect: 'require_undo' as const }),
  fc.constantFrom('AUTO' as const, 'SOFT' as const).map((tier) => ({ effect: 'relax_to' as const, tier })),
)
const HOUR = 3_600_000
const time = fc.constantFrom(undefined, ...[0, 1, 2].map((hours) => new Date(hours * HOUR).toISOString()))
const globs = fc.subarray(['get_order', 'update_*', 'delete_order', '**'], { maxLength: 2 })
const agents = fc.subarray(['agt_1', 'agt_*', 'key_1'], { maxLength: 2 })
const conditional = fc
  .record({
    what: effect,
    action_ids: globs,
    agents,
    when: some(cond),
    unless: some(cond),
    enabled: fc.boolean(),
    mode: fc.constantFrom('enforce' as const, 'enforce' as const, 'shadow' as const),
    priority: fc.nat(3),
    valid_from: time,
    expires_at: time,
    limit: some(
      fc.constantFrom(
        { measure: 'count' as const, max: 3, window: '1h' },
        { measure: 'count' as const, max: 9, window: '1h' },
      ),
    ),
  })
  .map(({ what, action_ids, agents: named, limit, when, unless, ...rest }): Policy => {
    const limited = what.effect === 'relax_to' ? {} : { limit }
    const made = policyOf({ ...rest, ...limited, ...what, scope: { action_ids, agents: named } })
    return { ...made, when, unless } // these conditions need not be ones that a tenant may save
  })

/** One that always acts, so that what it asks for counts. */
const plain = effect.map((what) => policyOf({ ...what }))
const body = fc.oneof(plain, conditional)

type Members = (keyof Policy)[]
const MEMBERS: Members[] = [
  ['scope'],
  ['when'],
  ['unless'],
  ['enabled'],
  ['mode'],
  ['priority'],
  ['valid_from'],
  ['expires_at'],
  ['limit'],
  ['effect', 'tier', 'approval'],
]
/** A policy and its next version, which differs in some members; `undefined` for a new one. */
const versions = fc
  .tuple(body, body, fc.subarray(MEMBERS, { maxLength: 2 }), fc.constantFrom(false, false, false, true))
  .map(([was, other, replaced, isNew]): [Policy | undefined, Policy] => {
    const names = replaced.flat()
    const next: Policy = { ...was, ...Object.fromEntries(names.map((name) => [name, other[name]])), version: 2 }
    const fits = next.effect === 'relax_to' ? { ...next, limit: undefined } : next
    return [isNew ? undefined : was, fits]
  })

/** 0 runs at once … 2 is held, 3 is rejected. */
const strictness = ({ outcome, tier }: Decision) =>
  outcome === 'reject' ? 3 : outcome === 'run' ? TIERS.indexOf(tier) : 2

/** People by the groups that they belong to. */
const PEOPLE = [['any'], ['any', 'role:owner'], ['any', 'role:admin', 'user:eve'], ['any', 'role:owner', 'role:admin']]
type Stage = Decision['stages'][number]

/** Whether these people can decide, each with one vote in one stage. */
function decides(stages: readonly Stage[], people: readonly string[][], votes: number[] = []): boolean {
  if (votes.length < people.length) return stages.some((_, index) => decides(stages, people, [...votes, index]))
  return stages.every(({ groups, min_approvals, mode }, index) => {
    const voters = people.filter((_, person) => votes[person] === index)
    const of = (group: string) => voters.filter((one) => one.includes(group)).length
    if (mode === 'each') return groups.every((group) => of(group) >= min_approvals)
    return voters.filter((one) => one.some((group) => groups.includes(group))).length >= min_approvals
  })
}
const CROWDS = Array.from({ length: 15 }, (_, bits) => PEOPLE.filter((__, person) => ((bits + 1) >> person) & 1))
const widened = ({ stages, escalate_after_s, escalate_to = [] }: Decision) =>
  escalate_after_s === undefined
    ? stages
    : stages.map((one) => ({ ...one, groups: one.mode === 'any' ? [...one.groups, ...escalate_to] : one.groups }))

function expectAsStrict(next: Decision, was: Decision): void {
  expect(strictness(next)).toBeGreaterThanOrEqual(strictness(was))
  if (next.outcome !== 'hold' || was.outcome !== 'hold') return
  for (const crowd of CROWDS) {
    if (decides(next.stages, crowd)) expect(decides(was.stages, crowd)).toBe(true)
    if (decides(widened(next), crowd)) expect(decides(widened(was), crowd)).toBe(true)
  }
  expect(next.escalate_after_s ?? Infinity).toBeGreaterThanOrEqual(was.escalate_after_s ?? Infinity)
  if (next.allow_self) expect(was.allow_self).toBe(true)
  if (next.grant) {
    expect(was.grant?.max_s ?? 0).toBeGreaterThanOrEqual(next.grant.max_s)
    expect(was.grant?.max_uses ?? 0).toBeGreaterThanOrEqual(next.grant.max_uses)
  }
}

const ORDER: Truth[] = [false, undefined, true]

describe('a condition that is at least another', () => {
  test('is never lower, whatever the facts', () => {
    fc.assert(
      fc.property(pair, scene, ([one, other], asked) => {
        const { facts } = questionOf(asked)
        const rank = (each: Cond) => ORDER.indexOf(compileCondition(each).test(facts))
        if (isAtLeast(one, other)) expect(rank(one)).toBeGreaterThanOrEqual(rank(other))
        if (isAtLeast(other, one)) expect(rank(other)).toBeGreaterThanOrEqual(rank(one))
      }),
      runs(1_000),
    )
  })

  const other: Cond = { field: 'agent.trust', op: 'lt', value: 40 }
  const gt = (value: number): Cond => ({ field: 'action.risk', op: 'gt', value })
  test.each<[string, Cond | undefined, Cond | undefined]>([
    ['none', undefined, gt(5)],
    ['a lower bound', gt(5), gt(6)],
    ['one more alternative', { any: [other, gt(6)] }, gt(6)],
    ['one requirement less', gt(6), { all: [other, gt(6)] }],
    ['a denial of less', { not: { all: [gt(5), other] } }, { not: gt(5) }],
    [
      'more texts',
      { field: 'action.kind', op: 'in', value: ['delete', 'payment'] },
      { field: 'action.kind', op: 'in', value: ['payment'] },
    ],
  ])('%s is proven', (_, one, than) => {
    expect(isAtLeast(one, than)).toBe(true)
    expect(isAtLeast(than, one)).toBe(false)
  })

  test('deep conditions are compared in a moment', () => {
    const nested = (depth: number, inner: Cond): Cond =>
      depth === 0 ? inner : nested(depth - 1, { any: [{ all: [inner] }] })

    expect(isAtLeast(nested(200, gt(5)), nested(200, gt(6)))).toBe(true)
  })
})

describe('a change of a policy', () => {
  test('that is no loosening lets nothing pass that was held, and nobody else decide', () => {
    fc.assert(
      fc.property(
        scene,
        fc.array(body, { maxLength: 3 }),
        versions,
        fc.nat(12),
        (asked, others, [was, next], total) => {
          if (looseningOfPolicy(was, next).length > 0) return
          const question = questionOf({ ...asked, settings: { allow_self_approval: true }, at: HOUR })
          const decided = (policies: Policy[]) =>
            evaluate({
              ...question,
              set: compileSet(policies),
              over: new Map(policies.map(({ policy_id, limit }) => [policy_id, total > (limit?.max ?? 0)])),
            })

          expectAsStrict(decided([...others, next]), decided(was ? [...others, was] : others))
        },
      ),
      runs(3_000),
    )
  })

  const scopeOf = (...action_ids: string[]) => policyOf({ effect: 'forbid', scope: { action_ids } }).scope
  const asking = policyOf({ effect: 'require_approval', approval: { stages: [{ groups: ['role:owner'] }] } })
  const changed = (change: Partial<Policy>) => looseningOfPolicy(asking, { ...asking, ...change })
  test.each<[string, Partial<Policy>]>([
    ['nothing', {}],
    ['its name, priority and severity', { name: 'other', priority: 1, severity: 'low' }],
    ['forbids', { effect: 'forbid', approval: undefined }],
    ['asks more people', { approval: { stages: [{ groups: ['role:owner'], min_approvals: 2, mode: 'each' }] } }],
    [
      'asks others besides',
      {
        approval: {
          stages: [
            { groups: ['role:owner'], min_approvals: 1, mode: 'any' },
            { groups: ['role:admin'], min_approvals: 1, mode: 'any' },
          ],
        },
      },
    ],
    [
      'gives less time',
      { approval: { stages: [{ groups: ['role:owner'], min_approvals: 1, mode: 'any' }], expires_in_s: 60 } },
    ],
  ])('%s is none', (_, change) => {
    expect(changed(change)).toEqual([])
  })

  test('a member that a grant bounds instead of freeing is none', () => {
    const grant = { max_s: 60, max_uses: 1 }
    const of = (over: object): Policy => ({
      ...asking,
      approval: { stages: [{ groups: ['role:owner'], min_approvals: 1, mode: 'any' }], grant: { ...grant, ...over } },
    })
    expect(looseningOfPolicy(of({ free: ['/amount'] }), of({ at_most: ['/amount'] }))).toEqual([])
  })

  const owners = { groups: ['role:owner'], min_approvals: 1, mode: 'any' as const }
  const grant = { max_s: 60, max_uses: 1 }
  test.each<[string, Partial<Policy>, Partial<Policy>, string[]]>([
    [
      'self-approval',
      { approval: { stages: [owners], allow_self: false } },
      { approval: { stages: [owners] } },
      ['approval.allow_self'],
    ],
    // Beside a policy that asks owners, one owner would then be enough for both.
    [
      'fewer groups',
      { approval: { stages: [{ ...owners, groups: ['role:admin', 'role:owner'] }] } },
      { approval: { stages: [owners] } },
      ['approval.stages'],
    ],
    [
      'a grant for more actions',
      { scope: scopeOf('get_*'), approval: { stages: [owners], grant } },
      { scope: scopeOf(), approval: { stages: [owners], grant } },
      ['approval.grant'],
    ],
    [
      'a grant for other values of a member',
      { approval: { stages: [owners], grant: { ...grant, at_most: ['/amount'] } } },
      { approval: { stages: [owners], grant: { ...grant, free: ['/amount'] } } },
      ['approval.grant'],
    ],
    [
      'further people after a while',
      { approval: { stages: [owners], escalate_to: ['role:admin'], escalate_after_s: 60 } },
      { approval: { stages: [owners], escalate_to: ['role:admin', 'any'], escalate_after_s: 60 } },
      ['approval.escalate_to'],
    ],
    [
      'them earlier',
      { approval: { stages: [owners], escalate_to: ['any'], escalate_after_s: 600 } },
      { approval: { stages: [owners], escalate_to: ['any'], escalate_after_s: 60 } },
      ['approval.escalate_after_s'],
    ],
    ['a lower tier', { effect: 'relax_to', tier: 'SOFT' }, { effect: 'relax_to', tier: 'AUTO' }, ['tier']],
    [
      'agents by a pattern',
      { scope: { ...scopeOf(), agents: ['key_1'] } },
      { scope: { ...scopeOf(), agents: ['key_*'] } },
      ['scope'],
    ],
  ])('%s loosens', (_, was, next, members) => {
    expect(looseningOfPolicy({ ...asking, ...was }, { ...asking, ...next })).toEqual(members)
  })

  test('a limit is as strict with a lower figure, unless it counts anew', () => {
    const limited = (max: number, window = '1h', counts_since?: number): Policy => ({
      ...policyOf({ effect: 'forbid', limit: { measure: 'count', max, window } }),
      ...(counts_since !== undefined && { counts_since }),
    })

    expect(looseningOfPolicy(limited(5), limited(4))).toEqual([])
    expect(looseningOfPolicy(limited(5), limited(6))).toEqual(['limit'])
    expect(looseningOfPolicy(limited(5), limited(4, '2h'))).toEqual(['limit'])
    expect(looseningOfPolicy(limited(5), limited(4, '1h', 2))).toEqual(['limit'])
  })
})

describe('a change of the settings', () => {
  const settings: fc.Arbitrary<GovernanceSettings> = fc.record({
    unknown_tier: fc.constantFrom('HARD' as const, 'SOFT' as const),
    allow_self_approval: fc.boolean(),
    require_human_approver: fc.boolean(),
    approval_ttl_s: fc.constantFrom(60, 600),
    trust_floor: fc.nat(100),
    amount_cap: fc.constantFrom(null, 4, 400),
    bulk_limit: fc.constantFrom(1, 5, 50),
    max_open_approvals: fc.constantFrom(1, 30, 50),
    pii_mode: fc.constantFrom(...PII_MODES),
    refusal_holds_s: fc.constantFrom(0, 600),
    answer_repeats: fc.boolean(),
    raise_below: fc.double({ min: 0, max: 1, noNaN: true }),
    domains: fc.subarray(['partner.example', 'evil.example']),
  })

  test('that is no loosening lets nothing pass that was held', () => {
    const changes = fc.tuple(
      settings,
      settings,
      fc.subarray(Object.keys(DEFAULT_SETTINGS) as (keyof GovernanceSettings)[]),
    )
    fc.assert(
      fc.property(
        scene,
        changes,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (asked, [was, other, names], probability) => {
          const next = { ...was, ...Object.fromEntries(names.map((name) => [name, other[name]])) }
          if (looseningOfSettings(was, next).length > 0) return
          const model = { slot: 'approval', version: 1, probability }
          const decided = (with_: GovernanceSettings) => evaluate(questionOf({ ...asked, model, settings: with_ }))

          expectAsStrict(decided(next), decided(was))
        },
      ),
      runs(2_000),
    )
  })

  test('a demand for people may be raised, and is loosened by each step back', () => {
    const demand = (require_human_approver: unknown) =>
      ({ ...DEFAULT_SETTINGS, require_human_approver }) as GovernanceSettings
    const names = (was: unknown, next: unknown) => looseningOfSettings(demand(was), demand(next))
    const loosened = ['require_human_approver']

    expect([names(true, null), names(true, false), names(null, false), names(undefined, false)]).toEqual([
      loosened,
      loosened,
      loosened,
      loosened,
    ])
    expect([names(false, null), names(null, true), names(false, true), names(true, true)]).toEqual([[], [], [], []])
  })
})

describe('a change of words', () => {
  const words = (verbs: LexiconWords['verbs'], read_nouns: string[] = []): LexiconWords => ({
    verbs,
    nouns: {},
    read_nouns,
  })
  const none = words({})
  const CASE = { node: NODE, payload: {}, settings: DEFAULT_SETTINGS }
  const rules = { policies: [] as Policy[], freezes: [] }
  const list = fc.subarray(['frobnicate', 'zorb', 'blorp'])

  test('that is no loosening lowers no kind of action', () => {
    const lexicon = fc
      .record({ read: list, update: list, execute: list, payment: list, nouns: list })
      .map(({ nouns, ...verbs }) => {
        const seen = new Set<string>()
        const once = (all: string[]) => all.filter((word) => !seen.has(word) && seen.add(word))
        return words(Object.fromEntries(Object.entries(verbs).map(([kind, all]) => [kind, once(all)])), once(nouns))
      })
    const names = fc.constantFrom(
      'frobnicate',
      'frobnicate_order',
      'get_zorb',
      'blorp_and_zorb',
      'update_blorps',
      'zorb_list',
    )
    fc.assert(
      fc.property(lexicon, lexicon, names, (was, next, name) => {
        if (looseningOfLexicon(was, next, rules).length > 0) return
        const tier = (lexicon_: LexiconWords) =>
          TIERS.indexOf(classify({ ...CASE, endpoint: { action_id: name }, lexicon: lexicon_ }).base)

        expect(tier(next)).toBeGreaterThanOrEqual(tier(was))
      }),
      runs(500),
    )
  })

  test('a word that is always held is none, unless a policy or a freeze goes by kinds', () => {
    const next = words({ payment: ['blorp'] })
    const byKind = policyOf({ effect: 'forbid', scope: { action_kinds: ['unknown'] } })
    const freeze = { id: 'frz_1', scope: { action_kinds: ['unknown' as const] } }

    expect(looseningOfLexicon(none, next, rules)).toEqual([])
    expect(looseningOfLexicon(none, next, { ...rules, policies: [byKind] })).toEqual(['words'])
    expect(looseningOfLexicon(none, next, { ...rules, freezes: [freeze] })).toEqual(['words'])
    expect(looseningOfLexicon(next, none, rules)).toEqual(['words'])
    expect(looseningOfLexicon(none, words({ read: ['blorp'] }), rules)).toEqual(['words'])
    expect(looseningOfLexicon(words({ read: ['blorp'] }), none, rules)).toEqual([])
  })
})

test('dates of a calendar loosen where a policy in force names it', () => {
  const value = { zone: 'UTC', days: [1], from: '08:00', to: '18:00', only: ['de'] }
  const naming = policyOf({ effect: 'forbid', when: { field: 'request.time', op: 'within', value } })

  expect(looseningOfCalendar('de', [naming])).toEqual(['dates'])
  expect(looseningOfCalendar('fr', [naming])).toEqual([])
  expect(looseningOfCalendar('de', [{ ...naming, enabled: false }])).toEqual([])
})
