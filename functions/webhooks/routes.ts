import { area, del, get, patch, post } from '../../shared/base/wire/route.ts'

const read = {
  host: 'both',
  access: 'webhooks:read',
  rate: 'global',
  uses: [{ table: 'read' }],
  evidence: { none: 'reads change nothing' },
} as const

const write = {
  host: 'both',
  access: 'webhooks:write',
  rate: 'global',
  uses: [{ table: 'write' }, { seal: 'payload' }],
} as const

const send = { host: 'both', access: 'webhooks:replay', rate: 'global' } as const

const endpoint = { resource: 'webhook endpoint' } as const
const changes = ['webhook.endpoint.disabled', 'webhook.endpoint.recovered'] as const

export const webhooks = area('webhooks', {
  create: post('/api/webhooks', {
    ...write,
    success: 201,
    evidence: 'webhook.endpoint.created',
    summary: 'Registers an endpoint. A generated secret is shown here and never again.',
  }),
  list: get('/api/webhooks', { ...read, summary: 'Lists the endpoints.' }),
  get: get('/api/webhooks/{id}', { ...read, ...endpoint, summary: 'Shows an endpoint.' }),
  update: patch('/api/webhooks/{id}', {
    ...write,
    ...endpoint,
    evidence: 'webhook.endpoint.updated',
    emits: changes,
    summary: 'Changes an endpoint. `status: active` clears its error state.',
  }),
  delete: del('/api/webhooks/{id}', {
    ...write,
    ...endpoint,
    uses: [{ table: 'write' }],
    success: 204,
    evidence: 'webhook.endpoint.deleted',
    summary: 'Deletes an endpoint. Deliveries in flight stop; the delivery log stays.',
  }),
  rotateSecret: post('/api/webhooks/{id}/rotate-secret', {
    ...write,
    ...endpoint,
    evidence: 'webhook.endpoint.updated',
    summary: 'Gives an endpoint a new secret, shown here only. The former one signs too until its overlap ends.',
  }),
  test: post('/api/webhooks/{id}/test', {
    ...send,
    ...endpoint,
    uses: [{ table: 'write' }, { seal: 'payload' }, { outbound: true }],
    idempotency: false,
    evidence: 'webhook.tested',
    emits: ['webhook.endpoint.recovered'],
    summary: 'Sends the example of an event type once, without retries.',
  }),
  deliveries: get('/api/webhooks/{id}/deliveries', {
    ...read,
    ...endpoint,
    summary: 'Lists the deliveries to an endpoint.',
  }),
  getDelivery: get('/api/webhooks/deliveries/{id}', {
    ...read,
    resource: 'delivery',
    summary: 'Shows a delivery with its event and its attempts.',
  }),
  replay: post('/api/webhooks/replay', {
    ...send,
    uses: [{ table: 'write' }, { queue: 'webhook-fanout' }],
    success: 202,
    evidence: 'webhook.replayed',
    summary: 'Delivers an event once more.',
  }),
  recover: post('/api/webhooks/{id}/recover', {
    ...send,
    ...endpoint,
    uses: [{ table: 'write' }, { queue: 'webhook-fanout' }],
    success: 202,
    timeoutSeconds: 28,
    memoryMb: 1_769,
    evidence: 'webhook.replayed',
    summary: 'Delivers what an endpoint never got in a window of at most 14 days. `dry_run` only counts.',
  }),
  stats: get('/api/webhooks/{id}/stats', {
    ...read,
    ...endpoint,
    summary: 'Shows how the deliveries to an endpoint fared: counts, success and latency.',
  }),
  ips: get('/api/webhooks/ips', {
    ...read,
    uses: [{ outbound: true }],
    summary: 'Shows the addresses that deliveries come from.',
  }),
  eventTypes: get('/api/webhooks/event-types', {
    ...read,
    uses: [],
    summary: 'Lists every event type with its schema and an example.',
  }),
})
