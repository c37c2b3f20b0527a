// All queues of the service.
export const QUEUE_NAMES = [
  'webhook-fanout',
  'checkpoints',
  'verifications',
  'exports',
  'mail',
  'logouts',
  'measure',
  'steps',
  'checks',
  'training',
  'syncs',
  'billing',
] as const
export type QueueName = (typeof QUEUE_NAMES)[number]
