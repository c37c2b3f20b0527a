// The meters of the payment provider: of a customer, a meter and an hour it keeps the newest event.
import { textAt, type Tree } from './form.ts'
import type { State } from './state.ts'

export const METERS = ['executions', 'tokens'].map((name) => ({
  id: `mtr_${name}`,
  object: 'billing.meter',
  event_name: `countersign_${name}`,
  status: 'active',
}))

/** Undefined for an event that is known. */
export function metered({ meters }: State, form: Tree): object | undefined {
  const [identifier = '', name = ''] = [textAt(form, 'identifier'), textAt(form, 'event_name')]
  if (Object.values(meters).some((one) => one.identifier === identifier)) return undefined
  const hour = Math.floor(Number(textAt(form, 'timestamp')) / 3_600)
  const value = Number(textAt(form, 'payload', 'value'))
  meters[`${textAt(form, 'payload', 'stripe_customer_id')}:${name}:${hour}`] = { identifier, value }
  return { object: 'billing.meter_event', identifier, event_name: name, livemode: false }
}

export function summed({ meters }: State, meterId: string, { searchParams }: URL): object[] {
  const of = `${searchParams.get('customer') ?? ''}:${METERS.find((one) => one.id === meterId)?.event_name ?? ''}:`
  const [from, to] = ['start_time', 'end_time'].map((name) => Number(searchParams.get(name)) / 3_600)
  return Object.entries(meters)
    .filter(([key]) => key.startsWith(of))
    .map(([key, { value }]) => ({ hour: Number(key.slice(of.length)), value }))
    .filter(({ hour }) => hour >= (from ?? 0) && hour < (to ?? 0))
    .map(({ hour, value }) => ({
      object: 'billing.meter_event_summary',
      start_time: hour * 3_600,
      end_time: (hour + 1) * 3_600,
      aggregated_value: value,
      meter: meterId,
    }))
}
