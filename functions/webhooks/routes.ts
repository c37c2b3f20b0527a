import { area, del, patch, post, read } from '../../shared/base/wire/route.ts'

const reads = { host: 'both', access: 'webhooks:read' } as const

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
  list: read('/api/webhooks', { ...reads, summary: 'Lists the endpoints.' }),
  get: read('/api/webhooks/{id}', { ...reads, ...endpoint, summary: 'Shows an endpoint.' }),
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
  deliveries: read('/api/webhooks/{id}/deliveries', {
    ...reads,
    ...endpoint,
    summary: 'Lists the deliveries to an endpoint.',
  }),
  getDelivery: read('/api/webhooks/deliveries/{id}', {
    ...reads,
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
  stats: read('/api/webhooks/{id}/stats', {
    ...reads,
    ...endpoint,
    summary: 'Shows how the deliveries to an endpoint fared: counts, success and latency.',
  }),
  ips: read('/api/webhooks/ips', {
    ...reads,
    uses: [{ outbound: true }],
    summary: 'Shows the addresses that deliveries come from.',
  }),
  eventTypes: read('/api/webhooks/event-types', {
    ...reads,
    uses: [],
    summary: 'Lists every event type with its schema and an example.',
  }),
})
