// What is not called over HTTP: stream readers, queue consumers, schedules and the tasks of the delivery state machine.
import { workers as rows } from '../shared/http/worker.ts'

export const workers = rows({
  relayEvents: {
    trigger: { stream: 'OUTBOX', batchSize: 100, windowSeconds: 0 },
    uses: [{ table: 'write' }, { bus: 'publish' }],
    evidence: { none: 'moves committed events, changes no state' },
    timeoutSeconds: 60,
    impact: 'Events are late: webhooks, the event log and event streams show nothing new.',
  },
  sequenceEvidence: {
    trigger: { stream: 'POINTER', batchSize: 100, windowSeconds: 1 },
    uses: [{ table: 'write' }, { queue: 'checkpoints' }],
    evidence: { none: 'gives artifacts their position' },
    timeoutSeconds: 60,
    impact: 'New evidence has a hash but no position in the chain yet; nothing is lost.',
  },
  signCheckpoint: {
    trigger: { queue: 'checkpoints', batchSize: 10 },
    uses: [{ table: 'write' }, { bucket: 'evidence', access: 'write' }, { sign: true }],
    evidence: { none: 'a checkpoint writes no artifact: the chain must not feed itself' },
    timeoutSeconds: 60,
    impact: 'New evidence is chained but not signed; verification shows signature_status pending.',
  },
  fanOutWebhook: {
    trigger: { queue: 'webhook-fanout', batchSize: 10, maxConcurrency: 50 },
    uses: [{ table: 'write' }, { queue: 'webhook-fanout' }, { bus: 'publish' }, { seal: 'payload' }],
    evidence: 'webhook.endpoint.status_changed',
    timeoutSeconds: 30,
    impact: 'Webhooks are not delivered; they wait in the queue.',
  },
  retryWebhook: {
    trigger: { task: 'RetryWebhookArn' },
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'webhook.endpoint.status_changed',
    timeoutSeconds: 28,
    impact: 'Retries of some webhooks have stopped.',
  },
  failWebhook: {
    trigger: { task: 'FailWebhookArn' },
    uses: [{ table: 'write' }],
    evidence: 'webhook.endpoint.status_changed',
    timeoutSeconds: 28,
    impact: 'Exhausted webhooks stay in state retrying and are not counted against their endpoint.',
  },
  createTenant: {
    trigger: { operator: true },
    uses: [{ table: 'write' }, { secret: true }, { verifyKey: true }],
    evidence: ['identity.tenant.created', 'identity.user.created', 'identity.api_key.created'],
    timeoutSeconds: 28,
    impact: 'No new tenant can be founded.',
  },
  sweep: {
    trigger: { schedule: 'rate(1 minute)' },
    uses: [
      { table: 'write' },
      { govern: true },
      { seal: 'payload' },
      { bus: 'publish' },
      { queue: 'webhook-fanout' },
      { queue: 'checkpoints' },
    ],
    evidence: ['approval.expired', 'protocol.executed'],
    timeoutSeconds: 55,
    impact: 'Expired approvals stay listed, interrupted executions stay open, lost doorbells are not rung again.',
  },
})
