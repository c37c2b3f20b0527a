import { describe, expect, test } from 'vitest'
import {
  ceilingOf,
  type Grant,
  grantStatus,
  isWithin,
  proofOf,
  type Repeat,
  serves,
} from '../../../../shared/govern/approvals/grants/grant.ts'
import { inspect } from '../../../../shared/govern/governance/payload/signals.ts'

const NOW = '2026-11-20T10:00:00.000Z'
const ceiling = (payload: object, risk = 40) =>
  ceilingOf(inspect({ ...payload }, { domains: ['acme.example'], pii_mode: 'detect' }), risk)
const APPROVED = { amount: 10, currency: 'EUR', to: ['a@one.example', 'b@two.example'] }

const REPEAT: Repeat = {
  requested_by: { type: 'api_key', id: 'key_1' },
  agent_id: 'agt_1',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  manifest_sha256: 'a'.repeat(64),
  policy_set_version: 'sha256:1',
  policy_ids: ['pol_1', 'pol_2'],
  ceiling: ceiling(APPROVED),
  pinned: '0'.repeat(32),
  at_most: { '/count': 5 },
}
const GRANT: Grant = {
  ...REPEAT,
  tenant_id: 'ten_1',
  mode: 'live',
  id: 'grt_1',
  approval_id: 'apr_1',
  granted_by: [{ type: 'user', id: 'usr_1' }],
  free: [],
  max_uses: 2,
  created_at: '2026-11-20T09:00:00.000Z',
  expires_at: '2026-11-20T11:00:00.000Z',
  salt: '00'.repeat(16),
  artifact_id: 'art_1',
  uses: 1,
}

describe('the state of a grant', () => {
  test.each<[string, Partial<Grant>]>([
    ['active', {}],
    ['used_up', { uses: 2 }],
    ['expired', { expires_at: NOW }],
    ['revoked', { revoked_at: NOW, expires_at: NOW }],
  ])('%s', (status, change) => {
    expect(grantStatus({ ...GRANT, ...change }, NOW)).toBe(status)
    expect(serves({ ...GRANT, ...change }, REPEAT, NOW)).toBe(status === 'active')
  })
})

describe('a request', () => {
  test.each<[string, Partial<Repeat>]>([
    ['another key', { requested_by: { type: 'api_key', id: 'key_2' } }],
    ['another type of requester', { requested_by: { type: 'client', id: 'key_1' } }],
    ['another agent', { agent_id: 'agt_2' }],
    ['no bound agent', { agent_id: undefined }],
    ['another node', { node_id: 'crm.contacts.other' }],
    ['another action', { action_id: 'update_all' }],
    ['another manifest', { manifest_sha256: 'b'.repeat(64) }],
    ['other policies in force', { policy_set_version: 'sha256:2' }],
    ['another policy that asks', { policy_ids: ['pol_1', 'pol_3'] }],
    ['another payload', { pinned: '1'.repeat(32) }],
    ['a larger number', { at_most: { '/count': 5.01 } }],
    ['a number that nothing bounds', { at_most: { '/count': 5, '/depth': 0 } }],
    ['more risk', { ceiling: ceiling(APPROVED, 41) }],
  ])('of %s is not served', (_what, change) => {
    expect(serves(GRANT, { ...REPEAT, ...change }, NOW)).toBe(false)
  })

  test('is served when fewer policies ask and less is in it', () => {
    expect(
      serves(GRANT, { ...REPEAT, policy_ids: ['pol_1'], ceiling: ceiling({}, 5), at_most: { '/count': 0 } }, NOW),
    ).toBe(true)
  })
})

describe('a payload goes beyond the approved one', () => {
  test.each<[string, object]>([
    ['a larger amount', { ...APPROVED, amount: 10.01 }],
    ['another currency', { ...APPROVED, currency: 'USD' }],
    ['no currency', { amount: 10 }],
    ['an amount that nobody can read', { ...APPROVED, amount: '1,000' }],
    ['another domain', { ...APPROVED, to: ['a@three.example'] }],
    ['a recipient that cannot be read', { ...APPROVED, to: ['@one'] }],
    ['another link', { ...APPROVED, note: 'see https://three.example/' }],
    ['a link that cannot be read', { ...APPROVED, note: 'see https://{host}/' }],
    ['more recipients', { ...APPROVED, to: ['a@one.example', 'b@two.example', 'c@two.example'] }],
    ['a longer list', { ...APPROVED, lines: [1, 2, 3] }],
    ['a statement', { ...APPROVED, sql: 'DROP TABLE users' }],
    ['personal data', { ...APPROVED, note: 'DE89370400440532013000' }],
  ])('with %s', (_what, payload) => {
    expect(isWithin(ceiling(payload), GRANT.ceiling)).toBe(false)
  })

  test.each([APPROVED, { ...APPROVED, amount: 9 }, { to: 'a@one.example' }, {}])('but not with %o', (payload) => {
    expect(isWithin(ceiling(payload), GRANT.ceiling)).toBe(true)
  })
})

test('the proof is of the terms alone: later uses and a revocation do not change it', () => {
  const proof = proofOf(GRANT)
  expect(proofOf({ ...GRANT, uses: 0, revoked_at: NOW })).toEqual(proof)
  expect(proofOf({ ...GRANT, max_uses: 100 })).not.toEqual(proof)
  expect(proofOf({ ...GRANT, ceiling: { ...GRANT.ceiling, amount: 11 } })).not.toEqual(proof)
  expect(proofOf({ ...GRANT, pinned: '1'.repeat(32) })).not.toEqual(proof)
  expect(proofOf({ ...GRANT, at_most: { '/count': 6 } })).not.toEqual(proof)
  expect(proofOf({ ...GRANT, requested_by: { type: 'api_key', id: 'key_2' } })).not.toEqual(proof)
})
