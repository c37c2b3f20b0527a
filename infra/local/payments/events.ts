// The signed events of the payment provider. Those of one step are sent after it; `COUNTERSIGN_CHAOS=1` sends each twice, in any
// order.
import { createHmac, randomInt } from 'node:crypto'
import type Stripe from 'stripe'
import type { Books } from './state.ts'

export type Events = {
  /** Says what an object is now. */
  note: (type: string, object: object) => void
  /** Sends what was noted, unless it is held. */
  flush: () => Promise<void>
  deliverTo: (url: string) => void
  hold: (isHeld: boolean) => Stripe.Event[]
  send: (event: Stripe.Event) => Promise<number>
  signed: (body: string, at?: number) => string
}

export function createEvents({ state, now, id }: Books): Events {
  let target: string | undefined
  let held: Stripe.Event[] | undefined
  let noted: Stripe.Event[] = []

  const signed = (body: string, at = now()): string =>
    `t=${at},v1=${createHmac('sha256', state.webhook_secret).update(`${at}.${body}`).digest('hex')}`

  const send = async (event: Stripe.Event): Promise<number> => {
    if (target === undefined) return 0
    const body = JSON.stringify(event)
    const headers = { 'content-type': 'application/json', 'stripe-signature': signed(body) }
    return (await fetch(target, { method: 'POST', body, headers })).status
  }

  return {
    note: (type, object) => {
      const data = { object: structuredClone(object) }
      const event = { id: id('evt'), object: 'event', type, created: now(), livemode: false, data } as Stripe.Event
      ;(held ?? noted).push(event)
    },
    flush: async () => {
      const events = process.env['COUNTERSIGN_CHAOS'] === '1' ? shuffled([...noted, ...noted]) : noted
      noted = []
      for (const event of events) await send(event).catch(() => 0) // a lost event: the service asks by itself
    },
    deliverTo: (url) => (target = url),
    hold: (isHeld) => (held = isHeld ? [] : undefined) ?? [],
    send,
    signed,
  }
}

function shuffled<T>(all: readonly T[]): T[] {
  const left = [...all]
  return all.flatMap(() => left.splice(randomInt(left.length), 1))
}
