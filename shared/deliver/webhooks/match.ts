// Which endpoints an event is sent to.
import type { Envelope } from '../../ledger/events/event.ts'
import type { Endpoint } from './endpoint.ts'

/** Whether an endpoint receives an event. Its own status changes are not sent to it, since each failure would cause another. */
export function isSubscribed(
  endpoint: Pick<Endpoint, 'id' | 'status' | 'events' | 'filter'>,
  event: Envelope,
): boolean {
  const data: Readonly<Record<string, unknown>> = event.data
  if (endpoint.status === 'disabled') return false
  if (!endpoint.events.includes('*') && !endpoint.events.includes(event.type)) return false
  if (event.type.startsWith('webhook.endpoint.') && data.endpoint_id === endpoint.id) return false
  return Object.entries(endpoint.filter ?? {}).every(
    ([name, value]) => Object.hasOwn(data, name) && data[name] === value,
  )
}
