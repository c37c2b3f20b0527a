import { expect, test } from 'vitest'
import { termsOf } from '../../../../shared/govern/governance/decide/evaluate.ts'
import { policyOf, settingsOf } from './make.ts'

const asking = (approval?: NonNullable<Parameters<typeof policyOf>[0]['approval']>) =>
  policyOf({ effect: 'require_approval', approval })
const ANYONE = { groups: ['any'], min_approvals: 1, mode: 'any' }

test('without a policy anyone who may approve decides, within the time of the settings', () => {
  expect(termsOf([], settingsOf({ approval_ttl_s: 600 }))).toEqual({
    stages: [ANYONE],
    expires_in_s: 600,
    allow_self: false,
  })
})

test('a policy without stages asks for the same', () => {
  expect(termsOf([asking()], settingsOf()).stages).toEqual([ANYONE])
})

test('stages of several policies follow one another; equal groups become one with the stricter demand', () => {
  const first = asking({ stages: [{ groups: ['role:admin', 'role:owner'], min_approvals: 1 }, { groups: ['user:a'] }] })
  const second = asking({
    stages: [{ groups: ['role:owner', 'role:admin'], min_approvals: 2, mode: 'each' }, { groups: ['any'] }],
  })

  expect(termsOf([first, second], settingsOf()).stages).toEqual([
    { groups: ['role:admin', 'role:owner'], min_approvals: 2, mode: 'each' },
    { groups: ['user:a'], min_approvals: 1, mode: 'any' },
    ANYONE,
  ])
})

test('the smallest expiry and escalation count, and everyone who is escalated to', () => {
  const stages = [{ groups: ['any'] }]
  const policies = [
    asking({ stages, expires_in_s: 900, escalate_after_s: 300, escalate_to: ['role:owner'] }),
    asking({ stages, expires_in_s: 600, escalate_after_s: 400, escalate_to: ['role:owner', 'user:a'] }),
    asking({ stages }),
  ]

  expect(termsOf(policies, settingsOf())).toMatchObject({
    expires_in_s: 600,
    escalate_after_s: 300,
    escalate_to: ['role:owner', 'user:a'],
  })
})

test('self-approval needs the setting, and any policy can forbid it', () => {
  const stages = [{ groups: ['any'] }]
  const allowed = settingsOf({ allow_self_approval: true })

  expect(termsOf([asking({ stages, allow_self: true })], settingsOf()).allow_self).toBe(false)
  expect(termsOf([asking({ stages })], allowed).allow_self).toBe(true)
  expect(
    termsOf([asking({ stages, allow_self: true }), asking({ stages, allow_self: false })], allowed).allow_self,
  ).toBe(false)
})
