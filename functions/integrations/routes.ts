import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/integration-fabric/connectors'
const reads = { access: 'integrations:read', resource: 'connector' } as const
const connects = {
  host: 'api',
  access: 'integrations:connect',
  resource: 'connector',
  rate: 'global',
} as const

/** Reading a large document, and checking the schemas of its actions. */
const converts = { memoryMb: 1_769, timeoutSeconds: 28 } as const

export const integrations = area('integrations', {
  listConnectors: read(path, { ...reads, summary: 'Lists the connectors of the tenant.' }),
  createConnector: post(path, {
    ...connects,
    ...converts,
    uses: [{ table: 'write' }, { bucket: 'files', access: 'put' }, { outbound: true }],
    evidence: 'integration.connector.created',
    bodyBytesMax: 5_242_880,
    success: 201,
    summary: 'Adds an API of your own, with its OpenAPI document as one string.',
  }),
  getConnector: read(`${path}/{id}`, { ...reads, summary: 'One connector, and whether it is connected.' }),
  completeAuth: post(`${path}/{id}/auth/complete`, {
    ...connects,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'integration.connection.connected',
    emits: ['integration.connected'],
    summary: 'Connects an API with the credential that it takes; again, to replace the credential.',
  }),
  disconnect: post(`${path}/{id}/auth/disconnect`, {
    ...connects,
    uses: [{ table: 'write' }],
    evidence: 'integration.connection.disconnected',
    emits: ['integration.disconnected'],
    summary: 'Ends the connection and deletes its credential.',
  }),
  getManifest: read(`${path}/{id}/manifest`, {
    ...converts,
    access: 'protocol:read',
    resource: 'connector',
    uses: [{ table: 'read' }, { bucket: 'files', access: 'read' }],
    summary: 'What publishing a group of operations would register, with the tier of each and why.',
  }),
  publish: post(`${path}/{id}/publish`, {
    ...converts,
    host: 'api',
    access: 'protocol:write',
    resource: 'connector',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }, { bucket: 'files', access: 'read' }],
    evidence: 'manifest.registered',
    success: 201,
    summary: 'Publishes operations as nodes: those of groups, single ones, or all.',
  }),
})
