import { area, del, get, post, read } from '../../shared/base/wire/route.ts'

const reads = { access: 'approvals:read', resource: 'approval' } as const

const votes = {
  host: 'api',
  access: 'approvals:decide',
  rate: 'global',
  uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }],
  timeoutSeconds: 28,
} as const

const decides = { ...votes, resource: 'approval' } as const

/** The page behind the link of a held action. It signs people in by itself, so the rows are open. */
const page = {
  host: 'app',
  access: 'public',
  rate: 'auth',
  pages: true,
  looseQuery: true,
  resource: 'approval',
  uses: [{ table: 'write' }, { seal: 'payload' }, { secret: true }, { asset: 'countries.mmdb' }, { passkeys: true }],
  timeoutSeconds: 28,
} as const

/** Events that may follow an approving vote, up to the end of the action. */
const VOTED = [
  'action.approved',
  'protocol.executed',
  'agent.completed',
  'agent.failed',
  'protocol.approval.requested',
  'execution.undone',
] as const

export const approvals = area('approvals', {
  list: read('/api/v1/work/approvals', {
    ...reads,
    summary: 'Lists approvals, the pending ones by default.',
  }),
  get: read('/api/v1/work/approvals/{id}', {
    ...reads,
    uses: [{ table: 'read' }, { seal: 'payload' }],
    summary: 'One approval, with the exact payload that its digest binds.',
  }),
  approve: post('/api/v1/work/approvals/{id}/approve', {
    ...decides,
    evidence: ['approval.approved', 'approval.voted'],
    emits: VOTED,
    summary: 'Approves a held action, which then runs.',
  }),
  reject: post('/api/v1/work/approvals/{id}/reject', {
    ...decides,
    evidence: 'approval.rejected',
    emits: ['action.rejected'],
    summary: 'Rejects a held action, which then never runs.',
  }),
  batch: post('/api/v1/work/approvals/batch', {
    ...votes,
    // A vote that was given already changes nothing, so a repeat needs no key.
    idempotency: false,
    evidence: ['approval.approved', 'approval.voted', 'approval.rejected'],
    emits: [...VOTED, 'action.rejected'],
    summary: 'Approves or rejects up to 50 held actions, each by a vote of its own.',
  }),
  extend: post('/api/v1/work/approvals/{id}/extend', {
    host: 'api',
    access: 'approvals:decide',
    resource: 'approval',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'approval.extended',
    emits: ['action.rejected'],
    summary: 'Lets a held action wait longer for its approvers, up to seven days after its request.',
  }),
  listGrants: read('/api/v1/work/grants', {
    access: 'approvals:read',
    summary: 'Lists grants: what approvers allow for a while.',
  }),
  revokeGrant: post('/api/v1/work/grants/{id}/revoke', {
    host: 'api',
    access: 'approvals:decide',
    resource: 'grant',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'approval.grant.revoked',
    summary: 'Ends a grant, so that the action is asked about again.',
  }),
  createDelegation: post('/api/v1/work/delegations', {
    host: 'api',
    access: 'approvals:decide',
    inPerson: true,
    rate: 'global',
    uses: [{ table: 'write' }],
    success: 201,
    evidence: 'delegation.created',
    summary: 'Lets another person vote in your name while you are away, for up to 30 days.',
  }),
  listDelegations: read('/api/v1/work/delegations', {
    access: 'approvals:read',
    summary: 'Lists delegations: who votes in whose name while they are away.',
  }),
  getDelegation: read('/api/v1/work/delegations/{id}', {
    access: 'approvals:read',
    resource: 'delegation',
    summary: 'Shows a delegation.',
  }),
  endDelegation: del('/api/v1/work/delegations/{id}', {
    host: 'api',
    access: 'approvals:decide',
    resource: 'delegation',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'delegation.ended',
    summary: 'Ends a delegation. Votes under it that have not decided yet no longer count.',
  }),
  page: get('/approvals/{tenant_id}/{id}', {
    ...page,
    uses: [
      ...page.uses,
      {
        cognito: [
          'AdminInitiateAuth',
          'AdminRespondToAuthChallenge',
          'AdminSetUserPassword',
          'AdminUserGlobalSignOut',
          'DescribeUserPoolClient',
        ],
      },
    ],
    evidence: 'identity.session.started',
    emits: ['user.login', 'user.updated', 'user.credentials_revoked', 'action.rejected'],
    summary: 'Shows a person an approval with its exact payload, or the sign-in before it.',
  }),
  submitPage: post('/approvals/{tenant_id}/{id}', {
    ...page,
    uses: [
      ...page.uses,
      { cognito: ['AdminInitiateAuth', 'AdminRespondToAuthChallenge', 'DescribeUserPoolClient', 'RevokeToken'] },
      { govern: true },
      { outbound: true },
    ],
    form: true,
    evidence: ['approval.approved', 'approval.voted', 'approval.rejected', 'identity.session.started'],
    emits: [
      'user.login',
      'action.approved',
      'action.rejected',
      'protocol.executed',
      'agent.completed',
      'agent.failed',
      'protocol.approval.requested',
      'execution.undone',
    ],
    summary: 'Takes the forms of that page: sign-in, second factor and decision.',
  }),
})
