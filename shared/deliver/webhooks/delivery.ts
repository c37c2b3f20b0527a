// One event for one endpoint, and each failed attempt. A delivery that has ended never starts again: a replay is another
// delivery.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import type { States } from '../../base/lib/states.ts'
import { RETENTION_DAYS } from '../../ledger/events/log.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { MAX_RETRIES } from './schedule.ts'

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** `retrying` follows itself with each further attempt. */
export const DELIVERY_STATES: States<DeliveryStatus> = {
  pending: ['delivered', 'retrying', 'failed'],
  retrying: ['retrying', 'delivered', 'failed'],
  delivered: [],
  failed: [],
}

export const FAILURE_REASONS = [
  'exhausted',
  'endpoint_error',
  'endpoint_deleted',
  'endpoint_disabled',
  'event_expired',
  'gone',
  'receiver_request',
  'not_retried',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** The result of an attempt: a status, or the reason why there was none. */
const Result = z.object({
  at: z.string().describe('When it happened.'),
  status_code: z.int().optional().describe('The HTTP status of the response.'),
  error_class: z.string().optional().describe('The kind of failure.'),
  latency_ms: z.int().describe('How long it took, in ms.'),
})

export const Delivery = z.object({
  ...resourceMembers,
  event_id: z.string().describe('Id of the event. Use it to ignore repeated deliveries.'),
  event_type: z.string().describe('The type of the event.'),
  /** In the event log; 0 for a test, whose event is in `event`. */
  event_position: z.int().describe('Position of the event in the event log.'),
  event: z.string().optional(),
  endpoint_id: z.string().describe('Id of the webhook endpoint.'),
  status: z.enum(DELIVERY_STATUSES).describe('The current state.'),
  /** Number of the last attempt made; -1 before the first. */
  attempt: z.int().min(-1).max(MAX_RETRIES).describe('The number of retries made.'),
  max_attempts: z.literal(MAX_RETRIES).describe('The maximum number of retries.'),
  /** Until then one worker holds the first attempt. */
  lease_until: z.string().optional(),
  /** The state machine execution that makes the retries, and how often it has started which attempt. */
  exec: z.string().optional(),
  claimed: z.object({ n: z.int(), times: z.int(), at: z.string().optional() }).optional(),
  /** Number of the first attempt, where the deployment delays it to the schedule. */
  first_attempt: z.int().optional().describe('Number of the first attempt.'),
  next_attempt_at: z.string().optional().describe('When the next attempt is made.'),
  /** Seconds that the receiver asked to wait before the next attempt; 0: no more than the schedule. */
  retry_after: z.int().optional(),
  /** When the sweeper has to check it. */
  due_at: z.string().optional(),
  replay_of: z.string().optional().describe('The delivery that this one repeats.'),
  replayed_as: z.string().optional().describe('The delivery that repeated this one.'),
  recover_id: z.string().optional().describe('Id of the recovery that sent it.'),
  failure_reason: z.enum(FAILURE_REASONS).optional().describe('Why the delivery failed.'),
  last: Result.optional().describe('The last attempt.'),
  created_at: z.string().describe('When it was created.'),
  completed_at: z.string().optional().describe('When it was finished.'),
})
export type Delivery = z.output<typeof Delivery>

/** Unix second in which a delivery, or an attempt of it, should be gone. */
export const deliveryEnd = (from: string): number => Math.floor(Date.parse(from) / 1_000) + RETENTION_DAYS * 86_400

export const deliveries = entity({
  name: 'DELIVERY',
  unbound: 'bounded',
  schema: Delivery,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'DELIVERY', of.id), sk: 'DELIVERY' }),
  index: (item) => ({
    gsi1pk: deliveriesOf(item, item.endpoint_id),
    gsi1sk: key(item.created_at, item.id),
    ...dueAt(item.due_at, item.id),
  }),
  ttl: ({ created_at }) => deliveryEnd(created_at),
})

/** The partition of gsi1 that lists the deliveries to an endpoint by time. */
export const deliveriesOf = (space: Space, endpointId: string): string => spaceKey(space, 'HOOK', endpointId)

/** An attempt that failed. */
export const Attempt = z.object({
  ...spaceMembers,
  delivery_id: z.string(),
  n: z.int().describe('Number of the attempt, from 0.'),
  ...Result.shape,
  remote_ip: z.string().optional().describe('The address that was called.'),
  response_headers: z.record(z.string(), z.string()).optional().describe('Header fields of the response.'),
  response_body: z.string().optional().describe('The first bytes of the response body.'),
  /** Unix seconds that this attempt was signed with. */
  signature_timestamp: z.int().optional().describe('The time that the signature covers (Unix seconds).'),
})
export type Attempt = z.output<typeof Attempt>

export const attempts = entity({
  name: 'ATTEMPT',
  unbound: 'bounded',
  schema: Attempt,
  key: (of: Space & { delivery_id: string; n: number }) => ({
    pk: spaceKey(of, 'DELIVERY', of.delivery_id),
    sk: key('ATT', String(of.n)),
  }),
  ttl: ({ at }) => deliveryEnd(at),
})

/** Of an attempt that has started and is not recorded yet: still under way, or its answer could not be stored so far. */
export const ATTEMPT_STATES = ['sending', 'sent_not_recorded'] as const
export type AttemptState = (typeof ATTEMPT_STATES)[number]

/** What the API shows of a delivery. */
export const DeliveryView = Delivery.omit({
  tenant_id: true,
  mode: true,
  event: true,
  lease_until: true,
  exec: true,
  claimed: true,
  retry_after: true,
  due_at: true,
}).extend({
  attempt_state: z
    .enum(ATTEMPT_STATES)
    .optional()
    .describe(
      'Only while an attempt is not recorded: `sending`, or `sent_not_recorded` when its answer could not be stored so far.',
    ),
})

export const AttemptView = Attempt.omit({ tenant_id: true, mode: true, delivery_id: true })

/** Identifies a delivery for the state machine. */
export const DeliveryRef = z.object({
  ...spaceMembers,
  delivery_id: z.string(),
  endpoint_id: z.string(),
})
export type DeliveryRef = z.output<typeof DeliveryRef>
