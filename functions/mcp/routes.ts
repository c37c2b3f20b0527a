import { area, EXECUTION_EVENTS, post, read } from '../../shared/base/wire/route.ts'

export const mcp = area('mcp', {
  call: post('/mcp/{tenant_id}', {
    host: 'api',
    access: 'protocol:execute',
    rate: 'ai',
    volume: true,
    dialect: 'mcp',
    audience: 'mcp',
    uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }],
    evidence: [
      'protocol.executed',
      'action.requested',
      'action.rejected',
      'execution.undone',
      'execution.undo_started',
      'approval.cancelled',
    ],
    emits: ['execution.undone', ...EXECUTION_EVENTS],
    timeoutSeconds: 28,
    summary:
      'The Model Context Protocol: every registered action is a tool. Revisions 2026-07-28, 2025-11-25 and 2025-06-18, without sessions.',
  }),
  metadata: read('/.well-known/oauth-protected-resource/mcp/{tenant_id}', {
    access: 'public',
    rate: 'none',
    uses: [],
    preflight: 'any',
    summary: 'Tells MCP clients where to get a token (RFC 9728). It says the same for tenants that do not exist.',
  }),
})
