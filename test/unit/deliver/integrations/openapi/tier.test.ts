import { describe, expect, test } from 'vitest'
import { actionOf } from './document.ts'

const HARD = { approval_required: true, min_tier: 'HARD' }

describe('the floor of an operation', () => {
  test.for([
    ['get', '/issues', {}, { kind: 'read', idempotency: true }],
    ['head', '/issues', {}, { kind: 'read', idempotency: true }],
    ['post', '/issues', {}, { min_tier: 'SOFT', idempotency: false }],
    ['patch', '/issues', {}, { min_tier: 'SOFT', idempotency: false }],
    ['put', '/issues', {}, { min_tier: 'SOFT', idempotency: true }],
    ['delete', '/issues', {}, { ...HARD, idempotency: true }],
    ['delete', '/issues', { 'x-governance-tier': 'AUTO' }, { ...HARD, idempotency: true }],
    ['delete', '/issues', { 'x-governance-tier': 'SOFT' }, { ...HARD, idempotency: true }],
    ['post', '/issues', { 'x-governance-tier': 'AUTO' }, { min_tier: 'SOFT', idempotency: false }],
    ['post', '/issues', { 'x-governance-tier': 'HARD' }, { ...HARD, idempotency: false }],
    ['get', '/issues', { 'x-governance-tier': 'SOFT' }, { min_tier: 'SOFT', kind: 'read', idempotency: true }],
    ['get', '/issues', { 'x-governance-tier': 7 }, { kind: 'read', idempotency: true }],
    ['post', '/chat.postMessage', {}, { ...HARD, idempotency: false }],
    ['post', '/charges', {}, { ...HARD, idempotency: false }],
    ['get', '/charges', {}, { kind: 'read', idempotency: true }],
    ['get', '/charges/{charge}', {}, { kind: 'read', idempotency: true }],
    ['get', '/files/delete', {}, { ...HARD, kind: 'read', idempotency: true }],
    ['get', '/messages/{id}', { operationId: 'getMessage' }, { kind: 'read', idempotency: true }],
    ['get', '/merge_requests', { operationId: 'list_merge_requests' }, { kind: 'read', idempotency: true }],
    ['get', '/merge_requests', { operationId: 'merge_requests' }, { ...HARD, kind: 'read', idempotency: true }],
    ['get', '/merge/{id}', { operationId: 'get_merge' }, { ...HARD, kind: 'read', idempotency: true }],
    ['get', '/drafts/{id}:send', { operationId: 'get_draft' }, { ...HARD, kind: 'read', idempotency: true }],
    ['put', '/pulls/{n}/merge', {}, { ...HARD, idempotency: true }],
    ['post', '/drafts', { operationId: 'sendDraft' }, { ...HARD, idempotency: false }],
    ['post', '/issues/search', {}, { idempotency: false }],
    ['post', '/issues/get-or-create', {}, { min_tier: 'SOFT', idempotency: false }],
    ['post', '/issues/search', { operationId: 'deleteIssues' }, { ...HARD, idempotency: false }],
    ['put', '/issues/search', {}, { min_tier: 'SOFT', idempotency: true }],
    ['post', '/payload', {}, { min_tier: 'SOFT', idempotency: false }],
  ] as const)('%s %s %j', async ([method, path, of, governance]) => {
    const { endpoint } = await actionOf({ [path]: { [method]: of } })
    const { idempotency, kind, min_tier, approval_required } = endpoint
    expect({ idempotency, kind, min_tier, approval_required }).toEqual({
      kind: undefined,
      min_tier: undefined,
      approval_required: undefined,
      ...governance,
    })
  })
})
