import type { Facts } from '../../../../../shared/base/ports/check-facts.ts'
import { action, ago, connection, endpoint, settings } from './make.ts'
import type { Case } from './rules.test.ts'

const approvals = (met: number, missed: number) =>
  Array.from({ length: met + missed }, (_, i) => ({ id: i < met ? `m${i}` : `x${i}`, met: i < met }))
const model = (id: string, over: Partial<Facts['models'][number]> = {}) => ({
  id,
  approved: true,
  can_return: true,
  measured: true,
  ...over,
})
const dataset = (id: string, over: object = {}) => ({ id, redacted: true, residual_findings: 0, ...over })
const allowlist = (over: object) => settings({ allowlist: { offered: true, rules: 2, open: false, ...over } })
const sso = (url: string) => settings({ sso: { offered: true, configured: true, verified_domains: 1, urls: [url] } })

export const OTHERS: readonly Case[] = [
  {
    check: 'GOV-03',
    when: 'actions are of a known kind, or a policy names them',
    facts: { actions: [action('a'), action('b', { recognised: false, governed: true })] },
  },
  {
    check: 'GOV-03',
    when: 'an action is neither recognised nor named',
    facts: { actions: [action('a'), action('b', { recognised: false })] },
    failing: ['b'],
  },
  {
    check: 'GOV-04',
    when: 'a policy was saved 365 days ago',
    facts: { policies: [{ id: 'p', updated_at: ago(365) }] },
  },
  {
    check: 'GOV-04',
    when: 'a policy was saved 366 days ago',
    facts: {
      policies: [
        { id: 'p', updated_at: ago(366) },
        { id: 'q', updated_at: ago(1) },
      ],
    },
    failing: ['p'],
  },
  { check: 'GOV-06', when: 'every node has an owner', facts: { nodes: [{ id: 'n', has_owner: true }] } },
  {
    check: 'GOV-06',
    when: 'the owner of a node is nobody',
    facts: {
      nodes: [
        { id: 'n', has_owner: false },
        { id: 'm', has_owner: true },
      ],
    },
    failing: ['n'],
  },
  // 19 of 20 are 95 %.
  { check: 'GOV-07', when: 'enough approvals were decided in time', facts: { sla_approvals: approvals(19, 0) } },
  {
    check: 'GOV-07',
    when: 'two of twenty approvals missed their SLA',
    facts: { sla_approvals: approvals(18, 2) },
    failing: ['x18', 'x19'],
  },
  {
    check: 'SEC-01',
    when: 'the key of the service is enabled and rotates',
    facts: { kms: { managed_by: 'service', state: 'Enabled', rotates: true } },
  },
  {
    check: 'SEC-01',
    when: 'the key of a customer answers, however it rotates',
    facts: { kms: { managed_by: 'customer', state: 'Enabled', rotates: null } },
  },
  {
    check: 'SEC-01',
    when: 'the key of the service does not rotate',
    facts: { kms: { managed_by: 'service', state: 'Enabled', rotates: false } },
    failing: [],
  },
  {
    check: 'SEC-01',
    when: 'the key of the service is about to be deleted',
    facts: { kms: { managed_by: 'service', state: 'PendingDeletion', rotates: true } },
    failing: [],
  },
  {
    check: 'SEC-01',
    when: 'the key of a customer does not answer',
    facts: { kms: { managed_by: 'customer', state: 'Unavailable', rotates: null } },
    failing: [],
  },
  {
    check: 'SEC-02',
    when: 'all addresses are https',
    facts: {
      endpoints: [endpoint('e')],
      actions: [action('a', { target: 'https://t.example' }), action('b')],
      settings: sso('https://idp.example'),
    },
  },
  {
    check: 'SEC-02',
    when: 'a webhook on this machine, a target and a sign-in page are not https, or no address at all',
    facts: {
      endpoints: [endpoint('e', { url: 'http://127.0.0.1:9000' })],
      actions: [action('a', { target: 'http://t.example' }), action('b', { target: 'https//broken' })],
      settings: sso('http://idp.example'),
    },
    failing: ['a', 'b', 'e', 'sso'],
  },
  { check: 'SEC-03', when: 'the allowlist has rules', facts: { settings: allowlist({}) } },
  {
    check: 'SEC-03',
    when: 'the rules of the allowlist together let everybody in',
    facts: { settings: allowlist({ open: true }) },
    failing: [],
  },
  {
    check: 'SEC-04',
    when: 'enabled endpoints have young secrets',
    facts: {
      endpoints: [
        endpoint('a', { secret_created_at: ago(180) }),
        endpoint('b', { status: 'disabled', secret_created_at: ago(500) }),
      ],
    },
  },
  {
    check: 'SEC-04',
    when: 'a secret is 181 days old, another has no date',
    facts: {
      endpoints: [
        endpoint('a', { secret_created_at: ago(181) }),
        endpoint('b', { secret_created_at: '' }),
        endpoint('c'),
      ],
    },
    failing: ['a', 'b'],
  },
  {
    check: 'PRV-01',
    when: 'personal data is looked for, and no area makes datasets',
    facts: { governance: { pii_mode: 'detect' } },
  },
  {
    check: 'PRV-01',
    when: 'personal data is looked for, and datasets are clean',
    facts: { governance: { pii_mode: 'block' }, datasets: [dataset('d')] },
  },
  { check: 'PRV-01', when: 'personal data is not looked for', facts: { governance: { pii_mode: 'off' } }, failing: [] },
  {
    check: 'PRV-01',
    when: 'a dataset was not redacted, another still holds personal data',
    facts: {
      governance: { pii_mode: 'redact' },
      datasets: [dataset('a', { redacted: false }), dataset('b', { residual_findings: 1 }), dataset('c')],
    },
    failing: ['a', 'b'],
  },
  { check: 'PRV-06', when: 'connections say what they are for', facts: { connections: [connection('c')] } },
  {
    check: 'PRV-06',
    when: 'a connection has a blank purpose, another no categories',
    facts: {
      connections: [connection('a', { purpose: ' ' }), connection('b', { data_categories: [] }), connection('c')],
    },
    failing: ['a', 'b'],
  },
  { check: 'AI-01', when: 'deployed models are approved and can go back', facts: { models: [model('m')] } },
  {
    check: 'AI-01',
    when: 'a model was not approved, another cannot go back',
    facts: { models: [model('a', { approved: false }), model('b', { can_return: false }), model('c')] },
    failing: ['a', 'b'],
  },
  { check: 'AI-02', when: 'deployed models are measured', facts: { models: [model('m')] } },
  {
    check: 'AI-02',
    when: 'a model was not measured',
    facts: { models: [model('a', { measured: false }), model('b')] },
    failing: ['a'],
  },
  { check: 'INT-01', when: 'connections have declared scopes only', facts: { connections: [connection('c')] } },
  {
    check: 'INT-01',
    when: 'a connection has a scope that nobody declared',
    facts: { connections: [connection('a', { granted_scopes: ['read', 'delete'] }), connection('b')] },
    failing: ['a'],
  },
  {
    check: 'INT-02',
    when: 'only active connections have a credential',
    facts: { connections: [connection('a'), connection('b', { active: false, has_credential: false })] },
  },
  {
    check: 'INT-02',
    when: 'a credential outlived its connection',
    facts: { connections: [connection('a', { active: false }), connection('b')] },
    failing: ['a'],
  },
]
