import type { Context } from '../../../base/context.ts'
import { API_VERSION, type EventType } from '../../../base/catalog/event-types.ts'
import type { Envelope, Event } from '../../../ledger/events/event.ts'
import { EVENT_SCHEMAS } from '../../../ledger/events/schemas.ts'
import { newArtifact } from '../../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../../ledger/evidence/artifact/record.ts'
import { iso } from '../../../base/lib/clock.ts'
import { attempts, deliveries } from '../delivery.ts'
import { attempted, ended, failed, newDelivery } from '../delivery-rules.ts'
import { findEndpoint } from './endpoint.ts'
import { commitWithHealth } from '../finish.ts'
import { succeeded } from './health.ts'
import { post } from '../post.ts'

/** Sends the example of an event type once, without retries. A success counts for the endpoint's health, a failure does not. */
export async function testEndpoint(ctx: Context, input: { id: string; type: EventType }) {
  const endpoint = await findEndpoint(ctx, input.id)
  const event = exampleEvent(ctx, input.type)
  const fresh = newDelivery(ctx.space, { event, position: 0, endpoint_id: endpoint.id }, ctx.now())
  const posted = await post(ctx, { endpoint, delivery: fresh, event, n: 0 })
  const made = attempted({ ...fresh, event: JSON.stringify(event) }, posted.attempt)
  const delivery = posted.delivered ? ended(made, 'delivered', ctx.now()) : failed(made, 'not_retried', ctx.now())
  const artifact = newArtifact(ctx, {
    type: 'webhook.tested',
    subject: { type: 'webhook_endpoint', id: endpoint.id },
    data: { delivery_id: delivery.id, delivered: posted.delivered },
  })
  await ctx.table.commit([
    deliveries.insert(delivery),
    ...(posted.delivered ? [] : [attempts.insert(posted.attempt)]),
    ...commitWith(ctx, [{ artifact }]),
  ])
  if (posted.delivered) await commitWithHealth(ctx, [], endpoint, succeeded, delivery)
  return { ...posted.attempt, delivered: posted.delivered }
}

function exampleEvent(ctx: Context, type: EventType): Envelope {
  // The compiler cannot match the example with its type through the union.
  const data = EVENT_SCHEMAS[type].example as Event['data']
  const { tenant_id } = ctx.space
  const envelope = { id: ctx.id('evt_test'), type, timestamp: iso(ctx.now()), tenant_id, version: API_VERSION, data }
  return type === 'protocol.executed' ? { ...envelope, event: type } : envelope
}
