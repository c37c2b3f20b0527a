import { describe, expect, test } from 'vitest'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import { type Registered, unmatchedWarnings } from '../../../../shared/govern/governance/checks/unmatched.ts'

const REGISTERED: Registered = {
  nodes: ['shop.billing.refunds', 'crm.contacts.editor'],
  actions: ['refund_payment', 'refund_order', 'get_contact', 'delete_contact'],
  categories: ['finance'],
  agents: ['agt_mailer', 'agt_*'],
}

const warnings = (body: object, registered: Registered = REGISTERED) =>
  unmatchedWarnings(PolicyBody.parse({ name: 'A policy', effect: 'forbid', ...body }), registered)

describe('names that nothing registered has', () => {
  test.each<[string, object]>([
    ['No registered action matches "refnud_*"; did you mean "refund_*"?', { scope: { action_ids: ['refnud_*'] } }],
    ['No registered action matches "*_contcat"; did you mean "*_contact"?', { scope: { action_ids: ['*_contcat'] } }],
    [
      'No registered action matches "delete_contct"; did you mean "delete_contact"?',
      { scope: { action_ids: ['delete_contct'] } },
    ],
    ['No registered action matches "wire_*".', { scope: { action_ids: ['wire_*'] } }],
    [
      'No registered action matches "refnud_*"; did you mean "refund_*"?',
      { after: { action_ids: ['refnud_*'], within: '10m', per: 'agent' } },
    ],
    [
      'No registered node matches "shop.billng.*"; did you mean "shop.billing.*"?',
      { scope: { node_ids: ['shop.billng.*'] } },
    ],
    [
      'No category of a registered node matches "finanse"; did you mean "finance"?',
      { scope: { categories: ['finanse'] } },
    ],
    ['No agent of a credential matches "agt_mailr"; did you mean "agt_mailer"?', { scope: { agents: ['agt_mailr'] } }],
    [
      'No registered action matches "get_contacts"; did you mean "get_contact"?',
      { when: { all: [{ field: 'action.id', op: 'in', value: ['get_contacts', 'get_contact'] }] } },
    ],
  ])('%s', (warning, body) => {
    expect(warnings(body)).toEqual([warning])
  })

  test.each<object>([
    {},
    { scope: { action_ids: ['refund_*', '**'], node_ids: ['shop.**'], categories: ['fin*'], agents: ['agt_*'] } },
    { when: { not: { field: 'action.id', op: 'eq', value: 'nothing' } } },
    { when: { field: 'action.id', op: 'ne', value: 'nothing' } },
    { unless: { field: 'node.id', op: 'eq', value: 'a.b.c' } },
  ])('are not in %j', (body) => {
    expect(warnings(body)).toEqual([])
  })

  test('are not looked for among too many', () => {
    expect(warnings({ scope: { action_ids: ['refnud_*'] } }, {})).toEqual([])
  })
})
