// Every part that a delivery passes fails at random, for as long as events come in: calls of the table are throttled or
// their answers lost, bus and queue refuse entries, workers die during a POST, messages come twice, executions are lost.
// Then the faults end and it is counted what became of every event. Faults are drawn from a seed, time is virtual.
import { handler as failWebhook } from '../../functions/workers/fail-webhook.ts'
import { handler as fanOutWebhook } from '../../functions/workers/fan-out-webhook.ts'
import { handler as retryWebhook } from '../../functions/workers/retry-webhook.ts'
import { openTable } from '../../shared/base/context.ts'
import { sweepDue } from '../../shared/base/table/sweep-due.ts'
import { deliveryId } from '../../shared/deliver/webhooks/delivery-rules.ts'
import { resumeDelivery } from '../../shared/deliver/webhooks/resume.ts'
import { machine } from '../unit/deliver/webhooks/machine.ts'
import { answers, received, Service, space, timesOut } from '../unit/deliver/webhooks/service.ts'

const ENDPOINTS = 12
const FAULT_SHARE = 0.05
const MINUTE_MS = 60_000
const MINUTES_MAX = 600

/** Mulberry32: small, even enough, and the same on every machine. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Message = { body: string; due: number; receives: number }

export type Account = {
  expected: number
  delivered: number
  failed: number
  /** Neither, or not there at all. */
  unaccounted: number
  /** EventFacts as delivered although no receiver ever answered 2xx. */
  untrue: number
  posts: number
  faults: Record<string, number>
}

/** One event a minute, to each of twelve endpoints. */
export async function account(seed: number, events = 120): Promise<Account> {
  const it = new Service()
  await it.start()
  await it.endpoints(ENDPOINTS)
  const random = seeded(seed)
  const faults: Record<string, number> = {}
  let raining = true
  const strikes = (name: string, share = FAULT_SHARE) => {
    const struck = raining && random() < share
    if (struck) faults[name] = (faults[name] ?? 0) + 1
    return struck
  }
  const accepted = receivers(it, strikes)
  breakTransports(it, strikes)
  const work = workers(it, strikes)

  const ids: string[] = []
  for (let minute = 0; minute < MINUTES_MAX; minute += 1) {
    raining = minute < events
    if (raining) ids.push(...(await happen(it, work.send)))
    await work.step(strikes)
    if (!raining && work.idle() && it.deliveries().every(({ completed_at }) => completed_at)) break
  }
  return summary(it, ids, accepted, faults)
}

type Strikes = (name: string, share?: number) => boolean

/**
 * Three in ten attempts fail in one way or another, and one receiver accepts nothing. Answers with the deliveries that were
 * accepted.
 */
function receivers(it: Service, strikes: Strikes): Set<string> {
  const accepted = new Set<string>()
  it.answer = ({ url, headers }) => {
    if (url.endsWith('/0')) return answers(503)
    if (strikes('worker died before the POST', 0.02)) throw new Error('killed')
    if (strikes('receiver timed out', 0.1)) return timesOut
    if (strikes('receiver answered 500', 0.2)) return answers(500)
    accepted.add(headers['x-webhook-delivery'] ?? '')
    if (strikes('worker died after the POST', 0.02)) throw new Error('killed')
    return answers(204)
  }
  return accepted
}

/** Errors as the SDK's clients throw them once their own retries are used up. */
function breakTransports(it: Service, strikes: Strikes): void {
  const down = () => {
    throw Object.assign(new Error('Throughput exceeds the current capacity.'), { name: 'ThrottlingException' })
  }
  it.table.hooks = {
    before: () => strikes('table throttled', 0.01) && down(),
    after: () => strikes('answer of the table lost', 0.01) && down(),
  }
  it.busRefuses = () => strikes('bus refused an entry')
  it.queueRefuses = () => strikes('queue refused a message')
}

/** What Lambda, SQS, EventBridge and Step Functions do, one minute at a time. */
function workers(it: Service, strikes: Strikes) {
  let waiting: Message[] = []
  const retries = machine(it, {
    retry: (event) => {
      if (strikes('worker of a retry died')) throw new Error('killed')
      return retryWebhook(event)
    },
    fail: untilItWorks,
  })
  const send = (body: string) => void waiting.push({ body, due: it.clock.now(), receives: 0 })

  const consume = async (messages: Message[]) => {
    const Records = messages.map(({ body, receives }, index) => received(body, String(index), receives + 1))
    const { batchItemFailures } = await fanOutWebhook({ Records })
    for (const { itemIdentifier } of batchItemFailures) {
      const due = it.clock.now() + (it.comesBackAfter.get(itemIdentifier) ?? 0) * 1_000
      const { body = '', receives = 0 } = messages[Number(itemIdentifier)] ?? {}
      waiting.push({ body, due, receives: receives + 1 })
    }
  }
  const step = async (struck: Strikes) => {
    for (const message of it.queue.splice(0)) send(JSON.stringify(message))
    const now = it.clock.now()
    const visible = waiting.filter(({ due }) => due <= now)
    waiting = waiting.filter(({ due }) => due > now)
    const again = visible.filter(() => struck('message came twice'))
    await consume([...visible, ...again])
    retries.startAnnounced()
    await retries.pass(0)
    if (struck('all executions lost', 0.02)) retries.stop()
    await passMinute(it, () => retries.pass(1))
    await sweepDue(openTable(), async (due) => {
      if (due.sk === 'DELIVERY') await resumeDelivery(due)
    }).catch(() => undefined) // the next minute tries again
  }
  return { send, step, idle: () => waiting.length === 0 && it.queue.length === 0 }
}

/** Step Functions repeats its last task by itself; here without the pauses between, which are in real time. */
async function untilItWorks(event: unknown): Promise<object> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await failWebhook(event)
    } catch (error) {
      if (attempt === 8) throw error
    }
  }
}

/** Wakes whatever waits for an instant of the coming minute. */
async function passMinute(it: Service, wake: () => Promise<void>): Promise<void> {
  const until = it.clock.now() + MINUTE_MS
  while (it.clock.nextDue(until) !== undefined) await wake()
  it.clock.moveTo(until)
}

/** An event is logged and put on the bus. Answers with the ids of the deliveries that it must make. */
async function happen(it: Service, send: (body: string) => void): Promise<string[]> {
  const hooks = it.table.hooks
  it.table.hooks = {} // what was not committed did not happen
  const [logged] = await it.log(1)
  const registered = it.table.items('countersign').filter((item) => item._type?.S === 'HOOK')
  it.table.hooks = hooks
  if (!logged) throw new Error('nothing was logged')
  const { event, position } = logged
  send(JSON.stringify({ detail: { ...event, _position: position, _mode: space.mode } }))
  return registered.map(({ id }) => deliveryId(event.id, id?.S ?? ''))
}

function summary(it: Service, ids: string[], accepted: Set<string>, faults: Account['faults']): Account {
  const statusOf = new Map(it.deliveries().map(({ id, status }) => [id, status]))
  const count = (status?: string) => ids.filter((id) => statusOf.get(id) === status).length
  const [delivered, failed] = [count('delivered'), count('failed')]
  return {
    expected: ids.length,
    delivered,
    failed,
    unaccounted: ids.length - delivered - failed,
    untrue: ids.filter((id) => statusOf.get(id) === 'delivered' && !accepted.has(id)).length,
    posts: it.sent.length,
    faults,
  }
}
