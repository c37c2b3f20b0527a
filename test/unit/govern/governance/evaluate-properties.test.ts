import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSet } from '../../../../shared/govern/governance/conditions/compile.ts'
import { type Cond, leavesOf } from '../../../../shared/govern/governance/conditions/condition.ts'
import { evaluate, type Decision, type Question } from '../../../../shared/govern/governance/decide/evaluate.ts'
import type { Facts } from '../../../../shared/govern/governance/conditions/fact-list.ts'
import { FURTHER } from '../../../../shared/govern/governance/decide/hits.ts'
import { KINDS, maxTier, TIERS } from '../../../../shared/base/catalog/kinds.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'
import type { Policy } from '../../../../shared/govern/governance/policy.ts'
import { policyOf, questionOf } from './make.ts'
import { runs } from '../../../support/runs.ts'

const leaf = fc.constantFrom<Cond>(
  { field: 'action.kind', op: 'in', value: ['delete', 'update'] },
  { field: 'action.risk', op: 'gte', value: 35 },
  { field: 'action.base_tier', op: 'lt', value: 'HARD' },
  { field: 'action.reversible', op: 'eq', value: true },
  { field: 'agent.trust', op: 'gt', value: 40 },
  { field: 'principal.roles', op: 'none_in', value: ['owner'] },
  { field: 'request.ip', op: 'cidr_in', value: '192.0.2.0/24' },
  { field: 'signals.amount', op: 'between', value: [1, 100] },
  { field: 'signals.external_domains', op: 'domain_in', value: 'partner.example' },
  { field: 'signals.recipient_domains', op: 'all_in', value: ['partner.example'] },
  { field: 'signals.url_hosts', op: 'none_in', value: ['evil.example'] },
  { field: 'signals.url_hosts', op: 'any_domain_in', value: 'evil.example' },
  { field: 'signals.wildcard', op: 'eq', value: false },
  { field: 'context.ticket', op: 'ne', value: 'T-1' },
  { field: 'payload./amount', op: 'not_in', value: [5, 6] },
  { field: 'payload./items/*/sku', op: 'glob', value: 'a.**' },
)

const { cond } = fc.letrec<{ cond: Cond }>((tie) => ({
  cond: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('cond'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('cond'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('cond').map((inner) => ({ not: inner })),
  ),
}))

const effect = fc.constantFrom(
  { effect: 'forbid' as const },
  { effect: 'require_approval' as const },
  { effect: 'min_tier' as const, tier: 'SOFT' as const },
  { effect: 'min_tier' as const, tier: 'HARD' as const },
  { effect: 'require_undo' as const },
  { effect: 'relax_to' as const, tier: 'AUTO' as const },
  { effect: 'relax_to' as const, tier: 'SOFT' as const },
)
// A condition deeper than a policy may hold is as good here: depth is a limit of the form, not of the logic.
const policy = fc
  .record({
    what: effect,
    when: cond,
    unless: fc.option(cond, { nil: undefined }),
    shadow: fc.boolean(),
    priority: fc.nat(3),
  })
  .map(({ what, when, unless, shadow, priority }): Policy => {
    return { ...policyOf({ effect: 'forbid', priority }), ...what, when, unless, mode: shadow ? 'shadow' : 'enforce' }
  })
const policies = fc.array(policy, { maxLength: 6 })

const tier = fc.constantFrom(...TIERS)
const scene = fc.record(
  {
    action_id: fc.constantFrom('get_order', 'update_order', 'restart_server', 'delete_order', 'frobnicate'),
    payload: fc.constantFrom<Json>(
      {},
      { amount: 5, items: [{ sku: 'a.b' }, { sku: 'c' }] },
      { amount: 500, to: 'x@partner.example', items: [] },
      { id: '*', to: ['x@evil.example'] },
      { to: '+49301234567', text: 'https://evil.example/' },
      { to: '@ann', text: 'https://{host}/' },
    ),
    context: fc.constantFrom({}, { ticket: 'T-1' }, { ticket: 'T-2' }),
    agent: fc.constantFrom(undefined, { id: 'agt_1', bound: true }),
    standing: fc.constantFrom(undefined, { trust: 30, executions: 9 }, { trust: 60, executions: 10 }),
    request: fc.record({ tier, require_approval: fc.boolean() }, { requiredKeys: [] }),
    trust: fc.option(fc.nat(100), { nil: undefined }),
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
const question = fc.tuple(scene, policies).map(([one, set]) => questionOf({ ...one, policies: set }))

/** 0 runs at once … 2 is held, 3 is rejected: what is at least as strict has at least the number. */
const strictness = ({ outcome, tier: is }: Decision) => (outcome === 'reject' ? 3 : TIERS.indexOf(is))
const withSet = (asked: Question, set: readonly Policy[]): Question => ({ ...asked, set: compileSet(set) })
const policiesOf = ({ set }: Question) => set.policies.map((compiled) => compiled.policy)

/** The facts without one that conditions read; what names a scope stays. */
function without(facts: Facts, field: string): Facts {
  if (field.startsWith('context.')) return { ...facts, context: {} }
  if (field.startsWith('payload.')) return { ...facts, payload: undefined }
  return { ...facts, named: { ...facts.named, [field]: undefined } }
}

describe('over random policy sets and requests', () => {
  test('removing any fact never lowers', () => {
    fc.assert(
      fc.property(question, fc.nat(), (asked, pick) => {
        const fields = policiesOf(asked).flatMap(({ when, unless }) => [...leavesOf(when), ...leavesOf(unless)])
        const field = fields[pick % Math.max(1, fields.length)]?.leaf.field ?? 'agent.trust'
        const blind = evaluate({ ...asked, facts: without(asked.facts, field) })

        expect(strictness(blind)).toBeGreaterThanOrEqual(strictness(evaluate(asked)))
      }),
      runs(500),
    )
  })

  test('shadow policies change no outcome', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const enforced = policiesOf(asked).filter(({ mode }) => mode === 'enforce')
        const { policy_evaluations: _all, hits, ...decision } = evaluate(asked)
        const { policy_evaluations: _some, hits: others, ...expected } = evaluate(withSet(asked, enforced))

        expect(decision).toEqual(expected)
        expect(hits.filter(({ shadow, policy_id }) => !shadow && policy_id !== FURTHER)).toEqual(
          others.filter(({ policy_id }) => policy_id !== FURTHER),
        )
      }),
      runs(300),
    )
  })

  test('a hit says how the action would be decided without the policy, or with it', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const all = policiesOf(asked)
        for (const { policy_id, shadow, otherwise } of evaluate(asked).hits) {
          const one = all.find((each) => each.policy_id === policy_id)
          if (!one) continue
          const others = all.filter((each) => each !== one)
          const changed = evaluate(withSet(asked, shadow ? [...others, { ...one, mode: 'enforce' }] : others))

          expect(otherwise).toBe(changed.outcome === 'reject' ? 'REJECT' : changed.tier)
        }
      }),
      runs(300),
    )
  })

  test('no tier lies below class floor, declared or computed floors, or the caller’s wishes', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { classification, request, endpoint } = asked
        const asking = request.require_approval || endpoint.approval_required ? 'HARD' : 'AUTO'
        const least = maxTier(KINDS[classification.kind].classFloor, classification.floor, request.tier, asking)
        const decision = evaluate(asked)

        expect(maxTier(decision.tier, least)).toBe(decision.tier)
      }),
      runs(300),
    )
  })

  test('one more restrictive policy never lowers, one more relaxing policy never raises', () => {
    fc.assert(
      fc.property(question, policy, (asked, extra) => {
        const before = strictness(evaluate(asked))
        const after = strictness(evaluate(withSet(asked, [...policiesOf(asked), extra])))

        if (extra.effect === 'relax_to') expect(after).toBeLessThanOrEqual(before)
        else expect(after).toBeGreaterThanOrEqual(before)
      }),
      runs(300),
    )
  })

  const limit = { measure: 'count' as const, max: 1, window: '1h' }
  const after = { kinds: ['secret_read' as const], within: '10m', per: 'agent' as const }
  test.each([
    ['a limit', { limit }, 'over'],
    ['a sequence', { after }, 'followed'],
  ] as const)('%s never lowers: not met it changes nothing, unknown it acts as if it were', (_, history, told) => {
    const truth = fc.constantFrom(true, false, undefined)
    fc.assert(
      fc.property(question, policy, truth, (asked, extra, met) => {
        const plain = { ...policyOf({ effect: 'forbid', ...history }), when: extra.when, unless: extra.unless }
        const one = { ...plain, ...(extra.effect !== 'relax_to' && { effect: extra.effect, tier: extra.tier }) }
        const decided = (isMet: boolean | undefined) =>
          strictness(
            evaluate({ ...withSet(asked, [...policiesOf(asked), one]), [told]: new Map([[one.policy_id, isMet]]) }),
          )
        const before = strictness(evaluate(asked))

        expect(decided(met)).toBeGreaterThanOrEqual(before)
        expect(decided(false)).toBe(before)
        expect(decided(undefined)).toBeGreaterThanOrEqual(decided(true))
      }),
      runs(300),
    )
  })

  test('what is frozen is rejected, by the freeze first, and keeps its tier', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { tier: before } = evaluate(asked)
        const decision = evaluate({ ...asked, frozen: [{ id: 'frz_1', detail: 'stopped' }] })

        expect(decision).toMatchObject({
          outcome: 'reject',
          tier: before,
          rejection: { policy_id: 'freeze:frz_1', message: 'stopped' },
        })
        expect(evaluate({ ...asked, frozen: [] })).toEqual(evaluate(asked))
      }),
      runs(300),
    )
  })

  test('what the caller asks for never lowers, in any combination', () => {
    fc.assert(
      fc.property(
        question,
        fc.option(tier, { nil: undefined }),
        fc.option(fc.boolean(), { nil: undefined }),
        (asked, wanted, approval) => {
          const silent = evaluate({ ...asked, request: {} })
          const asking = evaluate({ ...asked, request: { tier: wanted, require_approval: approval } })

          expect(strictness(asking)).toBeGreaterThanOrEqual(strictness(silent))
        },
      ),
      runs(300),
    )
  })

  test('less trust and an unwilling or unreadable model never lower', () => {
    fc.assert(
      fc.property(
        question,
        fc.nat(100),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
        (asked, less, probability) => {
          const trust = Math.min(asked.trust ?? 100, less)
          const model = { slot: 'approval', version: 1, probability }

          expect(strictness(evaluate({ ...asked, trust }))).toBeGreaterThanOrEqual(strictness(evaluate(asked)))
          expect(strictness(evaluate({ ...asked, model }))).toBeGreaterThanOrEqual(strictness(evaluate(asked)))
        },
      ),
      runs(300),
    )
  })

  const probability = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })
  const learnt = fc.record(
    {
      routing: fc.record({
        update_id: fc.constant('rtu_1'),
        base_tier: fc.option(tier, { nil: undefined }),
        holds: fc.boolean(),
      }),
      raise_below: fc.double({ min: 0, max: 1, noNaN: true }),
      model: fc.record({ slot: fc.constant('approval'), version: fc.constant(1), probability }),
      trust: fc.nat(100),
    },
    { requiredKeys: [] },
  )

  test('nothing that was learnt lowers a tier below the class floor, and a rule that does not hold lowers nothing', () => {
    fc.assert(
      fc.property(question, learnt, (asked, more) => {
        const { classification, request, endpoint } = asked
        const asking = request.require_approval || endpoint.approval_required ? 'HARD' : 'AUTO'
        const least = maxTier(KINDS[classification.kind].classFloor, classification.floor, request.tier, asking)
        const decision = evaluate({ ...asked, ...more })

        expect(maxTier(decision.tier, least)).toBe(decision.tier)
        if (more.routing?.holds) return
        expect(strictness(decision)).toBeGreaterThanOrEqual(
          strictness(evaluate({ ...asked, trust: more.trust ?? asked.trust })),
        )
      }),
      runs(300),
    )
  })

  test('a model in the shadow changes nothing but its own entry', () => {
    fc.assert(
      fc.property(question, probability, probability, (asked, one, other) => {
        const model = { slot: 'approval', version: 1, probability: one }
        const { policy_evaluations: alone, ...expected } = evaluate({ ...asked, model })
        const shadow = { version: 2, probability: other }
        const { policy_evaluations: both, ...decision } = evaluate({ ...asked, model: { ...model, shadow } })

        expect(decision).toEqual(expected)
        expect(both.filter(({ policy_id }) => policy_id !== 'model:approval@2')).toEqual(alone)
      }),
      runs(300),
    )
  })

  test('the same question has the same answer, in whatever order the policies come', () => {
    fc.assert(
      fc.property(question, (asked) => {
        expect(evaluate(withSet(asked, policiesOf(asked).toReversed()))).toEqual(evaluate(asked))
      }),
      runs(200),
    )
  })

  test('outcome, tier and rejection agree', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { outcome, tier: is, rejection, routing_decision, stages } = evaluate(asked)

        expect(outcome).toBe(rejection ? 'reject' : is === 'HARD' ? 'hold' : 'run')
        expect(routing_decision.tier).toBe(is)
        expect(stages.length).toBeGreaterThan(0)
      }),
      runs(300),
    )
  })
})
