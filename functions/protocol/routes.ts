import { area, ASKS, del, EXECUTION_EVENTS, NONE, post, put, read } from '../../shared/base/wire/route.ts'

const readsManifests = { access: 'protocol:read', resource: 'node' } as const
const readsExecutions = { access: 'executions:read', resource: 'execution' } as const

/** Agents know an action by the name of its tool alone. */
const governsNames = {
  host: 'api',
  access: 'policies:write',
  signedIn: true,
  rate: 'global',
  resource: 'tool',
  uses: [{ table: 'write' }],
  evidence: 'manifest.tool_name.changed',
} as const

/** What deciding on an action needs. */
const decides = { host: 'api', rate: 'ai' } as const

export const protocol = area('protocol', {
  validateManifest: post('/api/v1/protocol/manifest/validate', {
    whileUnverified: true,
    host: 'api',
    access: 'protocol:read',
    rate: 'global',
    uses: [{ table: 'read' }],
    evidence: NONE,
    bodyBytesMax: 1_048_576,
    idempotency: false,
    summary: 'Checks a manifest as registration would, and stores nothing.',
  }),
  registerManifest: post('/api/v1/protocol/manifest', {
    host: 'api',
    access: 'protocol:write',
    rate: 'global',
    ...ASKS,
    evidence: ['manifest.registered', 'action.requested'],
    timeoutSeconds: 28,
    bodyBytesMax: 1_048_576,
    success: 201,
    summary: 'Registers a version of a node. One that loosens waits for a person, unless a person registers it.',
  }),
  listManifests: read('/api/v1/protocol/manifest', {
    ...readsManifests,
    summary: 'Lists the nodes with their latest manifest.',
  }),
  getManifest: read('/api/v1/protocol/manifest/{node_id}', {
    ...readsManifests,
    summary: 'One manifest: the latest, or the one of `?version=`.',
  }),
  listManifestVersions: read('/api/v1/protocol/manifest/{node_id}/versions', {
    ...readsManifests,
    summary: 'The versions of a node, newest first.',
  }),
  assignToolName: put('/api/v1/protocol/tools/{tool_name}', {
    ...governsNames,
    summary: 'Gives the name of a tool to an action that may have it; the action that had it gets another one.',
  }),
  releaseToolName: del('/api/v1/protocol/tools/{tool_name}', {
    ...governsNames,
    success: 204,
    summary: 'Gives back the name of a tool whose action no longer exists.',
  }),
  execute: post('/api/v1/protocol/execute', {
    ...decides,
    volume: true,
    access: 'protocol:execute',
    uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }, { asset: 'countries.mmdb' }],
    evidence: ['protocol.executed', 'action.requested', 'action.rejected'],
    emits: EXECUTION_EVENTS,
    timeoutSeconds: 28,
    summary: 'Asks to run an action: it runs, runs with an undo window, or waits for a person.',
  }),
  evaluate: post('/api/v1/protocol/evaluate', {
    whileUnverified: true,
    ...decides,
    access: 'protocol:execute',
    uses: [{ table: 'read' }, { govern: true }, { asset: 'countries.mmdb' }],
    evidence: { none: 'stores and runs nothing' },
    idempotency: false,
    summary: 'Says how an action would be decided, and why; stores and runs nothing.',
  }),
  listExecutions: read('/api/v1/protocol/executions', {
    ...readsExecutions,
    summary: 'Lists executions, newest first.',
  }),
  getExecution: read('/api/v1/protocol/executions/{request_id}', {
    ...readsExecutions,
    uses: [{ table: 'read' }, { seal: 'payload' }],
    summary: 'One execution with its receipt and its evidence.',
  }),
  cancel: post('/api/v1/protocol/executions/{request_id}/cancel', {
    host: 'api',
    rate: 'global',
    access: 'protocol:execute',
    resource: 'execution',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'approval.cancelled',
    emits: ['action.rejected'],
    summary: 'Withdraws a request that waits for approval, or was approved and has not begun.',
  }),
  outcome: post('/api/v1/protocol/executions/{request_id}/outcome', {
    host: 'api',
    rate: 'global',
    // Held by requesters and approvers alike; which of them may report depends on the action.
    access: 'executions:undo',
    resource: 'execution',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'execution.outcome_reported',
    emits: ['protocol.executed'],
    summary: 'Reports how an action ended that its requester ran, or whose call got no answer.',
  }),
  undo: post('/api/v1/protocol/executions/{request_id}/undo', {
    ...decides,
    access: 'executions:undo',
    resource: 'execution',
    uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }, { asset: 'countries.mmdb' }],
    evidence: ['execution.undone', 'execution.undo_started'],
    emits: ['execution.undone', ...EXECUTION_EVENTS],
    timeoutSeconds: 28,
    summary: 'Undoes a SOFT action within its 30 seconds.',
  }),
})
