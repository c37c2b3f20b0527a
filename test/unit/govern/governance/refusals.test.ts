import { describe, expect, test } from 'vitest'
import { decided, policyOf, resultOf } from './make.ts'

const KNOWN = { field: 'node.id', op: 'eq', value: 'acme.tools.server' } as const

describe('step 6: steps up', () => {
  const model = { slot: 'approval', version: '3' }

  test('low trust raises by one tier', () => {
    expect(decided({ action_id: 'get_contact', trust: 29 }).tier).toBe('SOFT')
    expect(decided({ trust: 29 }).tier).toBe('HARD')
    expect(decided({ action_id: 'get_contact', trust: 30 }).tier).toBe('AUTO')
    expect(resultOf(decided({ trust: 29 }), 'trust')).toBe('raise')
  })

  test.each([
    [0.19, 'SOFT', 'raise'],
    [0.2, 'AUTO', 'pass'],
    [undefined, 'SOFT', 'indeterminate'],
  ])('a model that gives %s makes a read %s', (probability, tier, result) => {
    const decision = decided({ action_id: 'get_contact', model: { ...model, probability } })

    expect(decision.tier).toBe(tier)
    expect(decision.policy_evaluations.at(-1)).toMatchObject({
      policy_id: 'model:approval@3',
      result,
      ...(probability !== undefined && { score: probability }),
    })
  })

  test('both together raise by two', () => {
    expect(decided({ action_id: 'get_contact', trust: 0, model }).tier).toBe('HARD')
  })
})

describe('step 7: what cannot be taken back', () => {
  const undo = policyOf({ effect: 'require_undo' })

  test('makes SOFT HARD, however SOFT came about', () => {
    const irreversible = { annotations: { irreversible: true } }
    const relax = policyOf({ effect: 'relax_to', tier: 'SOFT', when: KNOWN })

    expect(decided({ endpoint: irreversible })).toMatchObject({ tier: 'HARD' })
    expect(resultOf(decided({ endpoint: irreversible }), 'manifest')).toBe('min_tier:HARD')
    const relaxed = decided({ action_id: 'restart_server', endpoint: irreversible, policies: [relax] })
    expect(relaxed.tier).toBe('HARD')
    expect(relaxed.routing_decision.reasons).toContainEqual({ signal: 'irreversible', floor: 'HARD' })
    expect(decided({ action_id: 'get_contact', endpoint: irreversible, trust: 0 }).tier).toBe('HARD')
    expect(decided({ action_id: 'get_contact', endpoint: irreversible }).tier).toBe('AUTO')
  })

  test('a policy may require an undo action of what is SOFT', () => {
    expect(decided({ policies: [undo] }).tier).toBe('HARD')
    expect(decided({ policies: [undo], endpoint: { undo_action_id: 'restore' } }).tier).toBe('SOFT')
    expect(decided({ policies: [undo], action_id: 'get_contact' }).tier).toBe('AUTO')
  })
})

const floodAt = (openApprovals: number, action_id = 'delete_contact') =>
  decided({ action_id, openApprovals, settings: { max_open_approvals: 3 } })

describe('step 8: refusals', () => {
  test('forbid beats everything, and the full evaluation is told all the same', () => {
    const forbid = policyOf({ effect: 'forbid', message: 'no refunds on weekends', severity: 'critical' })
    const relax = policyOf({ effect: 'relax_to', tier: 'AUTO', when: KNOWN, priority: 900 })
    const decision = decided({ action_id: 'get_contact', policies: [forbid, relax] })

    expect(decision).toMatchObject({
      outcome: 'reject',
      tier: 'AUTO',
      rejection: { policy_id: forbid.policy_id, message: 'no refunds on weekends' },
      policy_evaluations: { length: 5 },
    })
    expect(decision.fired).toEqual([
      {
        policy_id: forbid.policy_id,
        name: forbid.name,
        severity: 'critical',
        effect: 'forbid',
        outcome: 'rejected',
        detail: 'no refunds on weekends',
      },
    ])
  })

  test('a forbid with an empty scope, or with the agent, stops what it names', () => {
    const all = policyOf({ effect: 'forbid' })
    const one = policyOf({ effect: 'forbid', scope: { agents: ['agt_1'] } })

    expect(decided({ action_id: 'get_contact', policies: [all] }).outcome).toBe('reject')
    expect(decided({ policies: [one], agent: { id: 'agt_1', bound: true } }).outcome).toBe('reject')
    expect(decided({ policies: [one], agent: { id: 'agt_2', bound: true } }).outcome).toBe('run')
  })

  test('the first cause is that of the highest priority', () => {
    const [low, high] = [policyOf({ effect: 'forbid', priority: 1 }), policyOf({ effect: 'forbid', priority: 2 })]
    const decision = decided({ policies: [low, high] })

    expect(decision.rejection?.policy_id).toBe(high.policy_id)
    expect(decision.fired.map(({ policy_id }) => policy_id)).toEqual([high.policy_id, low.policy_id])
  })

  test('personal data rejects in mode block only', () => {
    const payload = { note: 'ann@example.com' }
    const inMode = (pii_mode: 'off' | 'detect' | 'redact' | 'block') => decided({ payload, settings: { pii_mode } })

    expect(inMode('block')).toMatchObject({ outcome: 'reject', rejection: { policy_id: 'pii' } })
    expect(resultOf(inMode('block'), 'pii')).toBe('forbid')
    for (const mode of ['detect', 'redact'] as const) expect(resultOf(inMode(mode), 'pii')).toBe('pass')
    expect(inMode('off')).toMatchObject({ outcome: 'run', policy_evaluations: { length: 3 } })
  })

  describe('a persona', () => {
    const persona = {
      persona_key: 'analyst',
      allowed_nodes: [],
      denied_nodes: [],
      tier_ceiling: 'HARD',
      default_require_approval: false,
    } as const

    test.each([
      ['allows', {}, 'run', 'pass'],
      ['allows by glob', { allowed_nodes: ['acme.**'] }, 'run', 'pass'],
      ['does not list the node', { allowed_nodes: ['other.**'] }, 'reject', 'forbid'],
      ['denies the node', { denied_nodes: ['acme.*.*'] }, 'reject', 'forbid'],
      ['has a lower ceiling', { tier_ceiling: 'AUTO' }, 'reject', 'forbid'],
      ['has the same ceiling', { tier_ceiling: 'SOFT' }, 'run', 'pass'],
      ['requires approval', { default_require_approval: true }, 'hold', 'require_approval'],
      [
        'requires approval above its ceiling',
        { default_require_approval: true, tier_ceiling: 'SOFT' },
        'reject',
        'forbid',
      ],
    ] as const)('that %s', (_, changes, outcome, result) => {
      const decision = decided({ persona: { ...persona, ...changes } })

      expect(decision.outcome).toBe(outcome)
      expect(resultOf(decision, 'persona:analyst')).toBe(result)
      if (outcome === 'reject') expect(decision.rejection?.policy_id).toBe('persona:analyst')
    })
  })

  test('a flood of held actions is refused at the limit, and only what would be held', () => {
    expect(floodAt(2).outcome).toBe('hold')
    expect(floodAt(3)).toMatchObject({ outcome: 'reject', rejection: { policy_id: 'approval_flood' } })
    expect(resultOf(floodAt(3), 'approval_flood')).toBe('forbid')
    expect(floodAt(3, 'update_contact').outcome).toBe('run')
  })
})
