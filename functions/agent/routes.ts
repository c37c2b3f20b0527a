import { area, post } from '../../shared/http/route.ts'

const decides = {
  host: 'api',
  rate: 'ai',
  uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }],
  timeoutSeconds: 28,
} as const

export const agent = area('agent', {
  execute: post('/agent/execute', {
    ...decides,
    access: 'protocol:execute',
    evidence: ['protocol.executed', 'action.requested', 'action.rejected'],
    emits: [
      'agent.executed',
      'action.requested',
      'action.approved',
      'protocol.executed',
      'protocol.approval.requested',
    ],
    summary: 'Submits a command of an agent as a governed task.',
  }),
  approve: post('/agent/approve/{task_id}', {
    ...decides,
    access: 'approvals:decide',
    resource: 'task',
    evidence: ['approval.approved', 'approval.voted'],
    emits: ['action.approved', 'protocol.executed', 'agent.completed'],
    summary: 'Approves a HARD task, which then counts as executed.',
  }),
})
