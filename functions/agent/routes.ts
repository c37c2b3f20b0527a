import { area, EXECUTION_EVENTS, post } from '../../shared/base/wire/route.ts'

const decides = {
  host: 'api',
  rate: 'ai',
  uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }, { asset: 'countries.mmdb' }],
  timeoutSeconds: 28,
} as const

export const agent = area('agent', {
  execute: post('/agent/execute', {
    ...decides,
    volume: true,
    access: 'protocol:execute',
    evidence: ['protocol.executed', 'action.requested', 'action.rejected'],
    emits: ['agent.executed', ...EXECUTION_EVENTS],
    summary: 'Submits a command of an agent as a governed task.',
  }),
  approve: post('/agent/approve/{task_id}', {
    ...decides,
    access: 'approvals:decide',
    resource: 'task',
    evidence: ['approval.approved', 'approval.voted'],
    emits: ['action.approved', 'protocol.executed', 'agent.completed', 'agent.failed', 'protocol.approval.requested'],
    summary: 'Approves a HARD task, which then counts as executed.',
  }),
})
