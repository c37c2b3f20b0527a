import { describe, expect, test } from 'vitest'
import { FURTHER, HITS_MAX } from '../../../../shared/govern/governance/decide/hits.ts'
import { decided, policyOf } from './make.ts'

const ABSENT = { field: 'payload./amount', op: 'gt', value: 1 } as const
const NEVER = { field: 'node.id', op: 'eq', value: 'other.tools.server' } as const

describe('hits', () => {
  test('hold no policy that passed, and nothing where all did', () => {
    const policies = [
      policyOf({ effect: 'forbid', when: NEVER }),
      policyOf({ effect: 'forbid', mode: 'shadow', when: NEVER }),
    ]

    expect(decided({ policies }).hits).toEqual([])
  })

  test('say how the action would be decided without the policy', () => {
    const held = policyOf({ effect: 'require_approval' })

    expect(decided({ action_id: 'get_contact', policies: [held] }).hits).toEqual([
      { policy_id: held.policy_id, result: 'require_approval', shadow: false, unknown: false, otherwise: 'AUTO' },
    ])
  })

  test('say of a shadow policy how the action would be decided with it', () => {
    const shadow = policyOf({ effect: 'forbid', mode: 'shadow', when: ABSENT })

    expect(decided({ action_id: 'get_contact', policies: [shadow] }).hits).toEqual([
      { policy_id: shadow.policy_id, result: 'forbid', shadow: true, unknown: true, otherwise: 'REJECT' },
    ])
  })

  test('say that nothing changes where two policies ask for the same', () => {
    const policies = [policyOf({ effect: 'min_tier', tier: 'HARD' }), policyOf({ effect: 'require_approval' })]

    expect(decided({ policies }).hits.map(({ otherwise }) => otherwise)).toEqual(['HARD', 'HARD'])
  })

  test('hold a loosening whose condition is unknown, which changes nothing', () => {
    const loose = policyOf({ effect: 'relax_to', tier: 'AUTO', when: ABSENT })
    const shadow = policyOf({ effect: 'relax_to', tier: 'AUTO', when: ABSENT, mode: 'shadow' })

    expect(decided({ policies: [loose, shadow] }).hits).toMatchObject([
      { result: 'indeterminate', shadow: false, otherwise: 'SOFT' },
      { result: 'indeterminate', shadow: true, otherwise: 'SOFT' },
    ])
  })

  test('hold a built-in rule that rejects', () => {
    const decision = decided({ settings: { pii_mode: 'block' }, payload: { note: 'ann@example.com' } })

    expect(decision.outcome).toBe('reject')
    expect(decision.hits).toMatchObject([{ policy_id: 'pii', result: 'forbid', otherwise: 'SOFT' }])
  })

  test('are so many at most, enforced ones first, and say that there are more', () => {
    const shadow = Array.from({ length: HITS_MAX }, () => policyOf({ effect: 'forbid', mode: 'shadow', priority: 9 }))
    const enforced = policyOf({ effect: 'require_approval', priority: 1 })
    const { hits } = decided({ policies: [...shadow, enforced] })

    expect(hits).toHaveLength(HITS_MAX + 1)
    expect(hits[0]?.policy_id).toBe(enforced.policy_id)
    expect(hits.at(-1)?.policy_id).toBe(FURTHER)
  })
})
