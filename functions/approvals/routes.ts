import { area, post, read } from '../../shared/base/wire/route.ts'

const reads = { access: 'approvals:read', resource: 'approval' } as const

const decides = {
  host: 'api',
  access: 'approvals:decide',
  resource: 'approval',
  rate: 'global',
  uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }],
  timeoutSeconds: 28,
} as const

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
    emits: [
      'action.approved',
      'protocol.executed',
      'agent.completed',
      'agent.failed',
      'protocol.approval.requested',
      'execution.undone',
    ],
    summary: 'Approves a held action, which then runs.',
  }),
  reject: post('/api/v1/work/approvals/{id}/reject', {
    ...decides,
    evidence: 'approval.rejected',
    emits: ['action.rejected'],
    summary: 'Rejects a held action, which then never runs.',
  }),
})
