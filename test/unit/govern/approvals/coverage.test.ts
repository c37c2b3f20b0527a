import { expect, test } from 'vitest'
import { isCovered } from '../../../../shared/govern/approvals/binding.ts'
import type { Approval } from '../../../../shared/govern/approvals/approval.ts'
import type { Decision, Fired } from '../../../../shared/govern/governance/decide/evaluate.ts'
import { pending, stagesOf } from './make.ts'

const fired = (effect: Fired['effect']): Fired => ({
  policy_id: 'pol_1',
  name: 'people',
  severity: 'high',
  effect,
  outcome: 'flagged',
  detail: '',
})
const decision = (over: Partial<Decision> = {}): Decision => ({
  outcome: 'hold',
  tier: 'HARD',
  routing_decision: { strategy: 'manifest', tier: 'HARD', kind: 'delete', confidence: 1, risk: 85, reasons: [] },
  policy_evaluations: [],
  fired: [fired('require_approval')],
  hits: [],
  held_anyway: true,
  stages: [{ groups: ['role:admin'], min_approvals: 2, mode: 'any' }],
  expires_in_s: 60,
  allow_self: false,
  ...over,
})
const given = (stage: object = {}, over: Partial<Approval> = {}) =>
  pending({ stages: stagesOf({ groups: ['role:admin'], min_approvals: 2, ...stage }), ...over })

test.each<[string, Approval, Decision]>([
  ['just that', given(), decision()],
  ['more of them', given({ min_approvals: 3 }), decision()],
  ['so many of each', given({ mode: 'each' }), decision()],
  [
    'others besides, when it escalated',
    given({ groups: ['role:admin', 'role:owner'] }),
    decision({ escalate_to: ['role:owner'] }),
  ],
  ['another stage besides', given({}, { stages: [...given().stages, ...stagesOf({ groups: ['any'] })] }), decision()],
  [
    'somebody, where no policy asks by now',
    given(),
    decision({ fired: [fired('min_tier')], stages: [{ groups: ['any'], min_approvals: 1, mode: 'any' }] }),
  ],
])('people were asked enough: %s', (_, approval, now) => {
  expect(isCovered(approval, now)).toBe(true)
})

test.each<[string, Approval, Decision]>([
  ['fewer of them', given({ min_approvals: 1 }), decision()],
  ['others instead', given({ groups: ['any'] }), decision()],
  ['others besides, without an escalation', given({ groups: ['role:admin', 'any'] }), decision()],
  [
    'so many together, where so many of each are needed',
    given(),
    decision({ stages: [{ groups: ['role:admin'], min_approvals: 2, mode: 'each' }] }),
  ],
  [
    'one stage of two',
    given(),
    decision({ stages: [...decision().stages, { groups: ['role:owner'], min_approvals: 1, mode: 'any' }] }),
  ],
  ['the requester, too, who may not by now', given({}, { allow_self: true }), decision()],
])('people were not asked enough: %s', (_, approval, now) => {
  expect(isCovered(approval, now)).toBe(false)
})
