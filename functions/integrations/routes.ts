import { ASKS, area, del, get, NONE, patch, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/integration-fabric/connectors'
const reads = { access: 'integrations:read', resource: 'connector' } as const
const connects = {
  host: 'api',
  access: 'integrations:connect',
  resource: 'connector',
  rate: 'global',
} as const

/** Asks a provider with the client of the tenant, or the operator's. */
const asksProvider = [{ table: 'write' }, { seal: 'payload' }, { providers: true }, { outbound: true }] as const

/** Reading a large document, and checking the schemas of its actions. */
const converts = { memoryMb: 1_769, timeoutSeconds: 28 } as const
const storesDocument = [
  { table: 'write' },
  { seal: 'payload' },
  { bucket: 'files', access: 'put', prefix: 'connectors/' },
  { bucket: 'files', access: 'remove', prefix: 'connectors/' },
  { outbound: true },
] as const
const readsDocument = { bucket: 'files', access: 'read', prefix: 'connectors/' } as const

export const integrations = area('integrations', {
  listConnectors: read(path, { ...reads, summary: 'Lists the connectors: those of the catalogue, and the own ones.' }),
  createConnector: post(path, {
    ...connects,
    ...converts,
    uses: storesDocument.filter((use) => !('access' in use && use.access === 'remove')),
    evidence: 'integration.connector.created',
    bodyBytesMax: 5_242_880,
    success: 201,
    summary: 'Adds an API of your own, with its OpenAPI document as one string or its address.',
  }),
  getConnector: read(`${path}/{id}`, { ...reads, summary: 'One connector, and whether it is connected.' }),
  updateConnector: patch(`${path}/{id}`, {
    ...connects,
    ...converts,
    uses: storesDocument,
    evidence: 'integration.connector.updated',
    bodyBytesMax: 5_242_880,
    summary: 'Changes a connector. A document has no effect on actions until it is published.',
  }),
  deleteConnector: del(`${path}/{id}`, {
    ...connects,
    uses: [{ table: 'write' }, { bucket: 'files', access: 'remove', prefix: 'connectors/' }],
    evidence: 'integration.connector.deleted',
    success: 204,
    summary: 'Deletes an own connector that is not connected.',
  }),
  getScopes: read(`${path}/{id}/scopes`, {
    ...reads,
    summary: 'The OAuth scopes that the connector requires, may have, and was granted.',
  }),
  startAuth: post(`${path}/{id}/auth/start`, {
    ...connects,
    uses: [{ table: 'write' }, { seal: 'payload' }, { providers: true }],
    evidence: 'integration.connection.started',
    summary: 'The address to send a person to, who agrees there. It is open for ten minutes.',
  }),
  completeAuth: post(`${path}/{id}/auth/complete`, {
    ...connects,
    uses: asksProvider,
    evidence: 'integration.connection.connected',
    emits: ['integration.connected'],
    summary:
      'Connects: with what the provider sent back, or with a fixed credential. Again, to replace what is connected.',
  }),
  disconnect: post(`${path}/{id}/auth/disconnect`, {
    ...connects,
    uses: [...asksProvider, { queue: 'syncs' }],
    evidence: 'integration.connection.disconnected',
    emits: ['integration.disconnected'],
    summary: 'Ends the connection, at the provider too where it can be told, and deletes the credential.',
  }),
  sync: post(`${path}/{id}/sync`, {
    volume: true,
    host: 'api',
    access: 'integrations:sync',
    resource: 'connector',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'syncs' }],
    evidence: 'integration.sync.queued',
    success: 202,
    summary: 'Starts to copy lists of the provider: what changed since the last run, or everything.',
  }),
  getSync: read(`${path}/{id}/sync/{job_id}`, {
    access: 'integrations:read',
    resource: 'sync job',
    summary: 'One run of a sync, and how far it is.',
  }),
  connectedPage: get('/console/connected', {
    host: 'app',
    access: 'public',
    rate: 'auth',
    uses: [],
    pages: true,
    looseQuery: true,
    evidence: NONE,
    summary: 'The page that providers send people back to.',
  }),
  receive: post('/api/webhooks/{id}', {
    host: 'both',
    access: 'provider',
    rate: 'none',
    raw: true,
    bodyBytesMax: 1_048_576,
    uses: [{ providers: true }, { queue: 'syncs' }],
    evidence: { none: 'the worker that carries the message out records it' },
    resource: 'connect provider',
    summary: 'Takes the webhooks of the connect provider (`nango`), signed over the raw body.',
  }),
  getManifest: read(`${path}/{id}/manifest`, {
    ...converts,
    access: 'protocol:read',
    resource: 'connector',
    uses: [{ table: 'read' }, readsDocument, { outbound: true }],
    summary:
      'What publishing a group of operations would register, with the tier of each and why. Stores nothing; with `refresh`, of the ' +
      'document as it is at its address now.',
  }),
  publish: post(`${path}/{id}/publish`, {
    ...converts,
    host: 'api',
    access: 'protocol:write',
    resource: 'connector',
    rate: 'global',
    uses: [...ASKS.uses, readsDocument],
    emits: ASKS.emits,
    evidence: ['manifest.registered', 'action.requested'],
    success: 201,
    summary:
      'Publishes operations as nodes: those of groups, single ones, or all. Versions that loosen wait for a person.',
  }),
})
