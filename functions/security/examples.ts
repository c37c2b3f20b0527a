import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { security } from './routes.ts'

const policy = {
  name: 'Refunds above 100 need two people',
  severity: 'high',
  effect: 'require_approval',
  when: { field: 'payload./amount', op: 'gt', value: 100 },
  approval: { stages: [{ groups: ['role:approver'], min_approvals: 2 }], expires_in_s: 86_400 },
  message: 'Refunds above 100 need two approvals.',
}

export const examples: Examples<typeof security> = {
  savePolicy: { body: policy },
  saveCalendar: { body: { dates: ['2026-12-25', '2026-12-26', '2027-01-01'], note: 'Public holidays in Germany' } },
  saveLexicon: {
    body: { verbs: { payment: ['anweisen'], read: ['nachschlagen'] }, nouns: {}, read_nouns: ['bestand'] },
  },
  setFreeze: { body: { scope: { agents: ['agt_support'] }, reason: 'It mailed the wrong customers.' } },
  liftFreeze: { body: { reason: 'The recipients are checked now.' } },
  disablePolicy: { body: { version: 3 } },
}

export const variables: Variables<typeof security> = {
  '/api/v1/security/tenants/{tenant_id}/policies/{policy_id}': [
    'The id of the policy.',
    'pol_01JD3Q8Z5ND8J0M2P4R6T8V0X2',
  ],
  '/api/v1/security/tenants/{tenant_id}/calendars/{name}': ['Its name.', 'holidays-de'],
  '/api/v1/security/tenants/{tenant_id}/freezes/{freeze_id}': [
    'The id of the freeze.',
    'frz_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
  ],
}
