import { describe, expect, test } from 'vitest'
import { neverFires } from '../../../../shared/govern/governance/checks/never-fires.ts'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'

const problems = (body: object) =>
  [...neverFires(PolicyBody.parse({ name: 'A policy', effect: 'forbid', ...body }))].map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )
const hour = (op: string, value: unknown) => ({ when: { field: 'request.hour_utc', op, value } })
const approval = { stages: [{ groups: ['any'] }], expires_in_s: 600, escalate_to: ['role:owner'] }

describe('a policy that can never fire is refused, and its mend is named:', () => {
  test.each<[string, object]>([
    [
      'scope.action_kinds.1: matches no kind of action; did you mean payment?',
      { scope: { action_kinds: ['read', 'paymnt'] } },
    ],
    ['scope.action_kinds.0: matches no kind of action', { scope: { action_kinds: ['zzzzzz*'] } }],
    [
      'when.value.1: is not a type of personal data; did you mean EMAIL?',
      { when: { field: 'signals.pii', op: 'any_in', value: ['IBAN', 'EMAILS'] } },
    ],
    [
      'unless.value: is not a type of personal data; did you mean PHONE?',
      { unless: { field: 'signals.pii', op: 'contains', value: 'phone' } },
    ],
    [
      'when.value: is not an ISO 4217 currency; did you mean EUR?',
      { when: { field: 'signals.currency', op: 'eq', value: 'EURO' } },
    ],
    [
      'when.value.1: is no host as they are compared; did you mean evil.example?',
      { when: { field: 'signals.url_hosts', op: 'any_in', value: ['a.example', 'https://evil.example/x'] } },
    ],
    [
      'when.value.0: is no host as they are compared; did you mean evil.example?',
      { when: { field: 'signals.external_domains', op: 'none_in', value: ['@evil.example'] } },
    ],
    [
      'when.value: is no host as they are compared; did you mean xn--mller-kva.example?',
      { when: { field: 'signals.recipient_domains', op: 'contains', value: 'Müller.example' } },
    ],
    [
      'when.value: is no host as they are compared; did you mean evil.example?',
      { when: { field: 'signals.url_hosts', op: 'domain_in', value: '*.evil.example' } },
    ],
    ['when.value: must be from 0 to 23', hour('eq', 24)],
    ['when.value: must be from 0 to 23', hour('between', [22, 30])],
    ['when.value: can never be true, since the field is from 0 to 23', hour('gt', 23)],
    ['when.value: must be from 1 to 7', { when: { field: 'request.weekday_utc', op: 'in', value: [0, 1] } }],
    [
      'when.any.1.not.value: must be from 0 to 100',
      { when: { any: [hour('eq', 1).when, { not: { field: 'action.risk', op: 'gt', value: 101 } }] } },
    ],
    [
      'approval.escalate_after_s: must be less than expires_in_s, which is 600',
      { effect: 'require_approval', approval: { ...approval, escalate_after_s: 600 } },
    ],
    [
      'tier: no kind in scope can be lower than HARD: delete',
      { effect: 'relax_to', tier: 'SOFT', scope: { action_kinds: ['delete'] }, when: hour('eq', 1).when },
    ],
    [
      'tier: no kind in scope can be lower than HARD: delete',
      {
        effect: 'relax_to',
        tier: 'AUTO',
        when: { all: [{ field: 'action.kind', op: 'in', value: ['delete'] }, hour('eq', 1).when] },
      },
    ],
  ])('%s', (problem, body) => {
    expect(problems(body)).toEqual([problem])
  })

  test.each<object>([
    { scope: { action_kinds: ['*', 'read', 'del*'] } },
    { when: { field: 'signals.pii', op: 'none_in', value: ['EMAIL'] } },
    { when: { field: 'signals.recipient_domains', op: 'any_in', value: ['a.example', 'tel', '192.0.2.1'] } },
    { when: { field: 'signals.url_hosts', op: 'domain_in', value: ['.A.example', 'müller.example'] } },
    { when: { field: 'signals.currency', op: 'in', value: ['EUR', 'JPY'] } },
    { when: { field: 'signals.currency', op: 'eq', value: 'eur', ignore_case: true } },
    { when: { field: 'signals.currency', op: 'starts_with', value: 'E' } },
    hour('between', [0, 23]),
    hour('gte', 23),
    { when: { field: 'signals.amount', op: 'gt', value: 1_000_000 } },
    { effect: 'require_approval', approval: { ...approval, escalate_after_s: 599 } },
    { effect: 'relax_to', tier: 'AUTO', scope: { action_kinds: ['delete', 'update'] }, when: hour('eq', 1).when },
  ])('but not %j', (body) => {
    expect(problems(body)).toEqual([])
  })
})
