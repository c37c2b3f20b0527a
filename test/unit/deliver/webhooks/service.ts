// The webhook part of the service in one process: the real verbs and SDK clients on a table in memory, a bus and a queue
// that keep what they are given, receivers as functions, and a clock that the test moves.
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { type Context, setRuntime, type Space, systemContext } from '../../../../shared/base/context.ts'
import type { Envelope, Event } from '../../../../shared/ledger/events/event.ts'
import { chunks, envelopesOf, logHead, logHeads } from '../../../../shared/ledger/events/log.ts'
import { packEvents, unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { EVENT_SCHEMAS } from '../../../../shared/ledger/events/schemas.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { type OutboundRequest, type Outcome, setTransport } from '../../../../shared/base/lib/safe-http.ts'
import type { Stored } from '../../../../shared/base/table/entity.ts'
import { Tenant, tenants } from '../../../../shared/base/tenant/tenant.ts'
import { createEndpoint } from '../../../../shared/deliver/webhooks/endpoints/create.ts'
import { type Delivery, deliveries } from '../../../../shared/deliver/webhooks/delivery.ts'
import type { EndpointInput } from '../../../../shared/deliver/webhooks/endpoints/fields.ts'
import { type Endpoint, endpoints, findEndpoint } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { handleMessage } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { inGroups } from '../../../../shared/base/lib/in-parallel.ts'
import { fanOutQueue, type QueuedDeliveries, type QueuedRecovery } from '../../../../shared/deliver/webhooks/queue.ts'
import { openParts, sealParts } from '../../../../shared/deliver/webhooks/endpoints/sealed-parts.ts'
import type { LoggedEvent } from '../../../../shared/deliver/webhooks/event-outcome.ts'
import { intercept } from '../../../support/intercept.ts'
import { MemoryKms, memorySecrets } from '../../../support/memory-aws.ts'
import { MemoryTable } from '../../../support/memory-table.ts'
import { type TestClock, testClock } from '../../../support/test-clock.ts'

export const TABLE = 'countersign'
export const space: Space = { tenant_id: 'ten_1', mode: 'live' }

/** An answer of a receiver, without a network. */
export const answers = (status: number, headers: Record<string, string> = {}, body = ''): Outcome => ({
  kind: 'answer',
  status,
  headers,
  body: Buffer.from(body),
  body_end: 'whole',
  latency_ms: 12,
  remote_ip: '203.0.113.9',
})

/** A message of the fan-out queue as its worker gets it, for the given time. */
export const received = (body: string, id = '0', receives = 1) => ({
  messageId: id,
  receiptHandle: id,
  body,
  attributes: { ApproximateReceiveCount: String(receives) },
})

/** What the worker does with a message. */
export const handleBody = (body: string): Promise<void> => handleMessage(fanOutQueue.Message.parse(JSON.parse(body)))

export const timesOut: Outcome = { kind: 'unanswered', error_class: 'timeout', latency_ms: 5_000 }

function undone(id: string): Event {
  const type = 'execution.undone'
  const { schema, example } = EVENT_SCHEMAS[type]
  return { type, subject: { id, version: 1 }, data: schema.parse(example) }
}

export type BusMessage = { source: string; type: string; detail: Record<string, unknown> }
export type Sent = OutboundRequest & { at: number }

export class Service {
  readonly clock: TestClock = testClock(Date.UTC(2026, 10, 20, 22, 37))
  readonly table = new MemoryTable(() => this.clock.now())
  readonly kms = new MemoryKms()
  readonly bus: BusMessage[] = []
  readonly queue: (QueuedDeliveries | QueuedRecovery)[] = []
  readonly sent: Sent[] = []
  /** Seconds after which failed messages return, by receipt handle. */
  readonly comesBackAfter = new Map<string, number>()
  /** What receivers answer. */
  answer: (request: OutboundRequest) => Outcome | Promise<Outcome> = () => answers(200)
  /** Entries and messages that the bus and the queue refuse, by their number. */
  busRefuses: (entry: BusMessage) => boolean = () => false
  queueRefuses: () => boolean = () => false

  async start(): Promise<void> {
    Object.assign(process.env, {
      TABLE_NAME: TABLE,
      KEYS_TABLE_NAME: 'keys',
      SEAL_KEY_ID: 'seal',
      SECRET_ID: 'secret',
      EVIDENCE_SECRET_ID: 'evidence-secret',
      BUS_NAME: 'bus',
      EVIDENCE_ORIGIN: 'countersign.test',
      QUEUE_BASE: 'https://sqs.memory/',
      LOG_LEVEL: 'off',
      AWS_REGION: 'memory',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
    })
    coldStart()
    setRuntime({ clock: this.clock })
    resetClients([
      (client, service) => {
        if (service === 'dynamodb') intercept(client, (command) => this.table.send(command))
        if (service === 'secrets-manager') intercept(client, memorySecrets())
        if (service === 'kms') intercept(client, this.kms.send)
        if (service === 'eventbridge') intercept(client, ({ input }) => this.#putEvents(input as PutEvents))
        if (service === 'sqs') intercept(client, ({ input }) => this.#queue(input as SendBatch | Change))
      },
    ])
    setTransport(async (request) => {
      this.sent.push({ ...request, at: this.clock.now() })
      return this.answer(request)
    })
    for (const id of ['ten_1', 'ten_2']) await this.#tenant(id)
  }

  ctx(of: Space = space): Context {
    return systemContext(of)
  }

  /** Of a tenant whose plan has room for any number. */
  async endpoint(input: Partial<EndpointInput> = {}, of: Space = space): Promise<Stored<Endpoint>> {
    const fields = { name: 'Sink', url: 'https://8.8.8.8/hook', events: ['*'], ...input } as EndpointInput // optional ones
    return (await createEndpoint(this.ctx(of), fields)).endpoint
  }

  /** As many as that, alike but for their URLs: `https://8.8.8.8/<number>`. */
  async endpoints(count: number): Promise<void> {
    const model = await this.endpoint({ url: 'https://8.8.8.8/0' })
    const parts = await openParts(model)
    const copies = Array.from({ length: count - 1 }, async (_, index) => {
      const copy = { ...model, id: `${model.id}-${index}`, url: `https://8.8.8.8/${index + 1}` }
      return endpoints.insert({ ...copy, sealed: await sealParts(copy, parts) })
    })
    for (const slice of inGroups(await Promise.all(copies), 90)) await this.ctx().table.commit(slice)
  }

  /** An event as the relay would have logged it, at a position of the log. */
  async event(position: number, of: Space = space): Promise<Envelope> {
    const events = packEvents([undone(`exe_${position}`)])
    const chunk = { ...of, first: position, last: position, at: this.clock.now(), events }
    await this.ctx(of).table.commit([chunks.insert(chunk)])
    const [envelope] = envelopesOf(chunk)
    if (!envelope) throw new Error('a chunk without an event')
    return envelope
  }

  /** A commit of so many events at the end of the log; `skip` leaves positions out before it, as if they had expired. */
  async log(count: number, { of = space, skip = 0, at = this.clock.now() } = {}): Promise<LoggedEvent[]> {
    const ctx = this.ctx(of)
    const head = await logHead(ctx)
    const first = head.position + skip + 1
    const next = { ...head, position: first + count - 1 }
    const made = Array.from({ length: count }, (_, index) => undone(`exe_${first + index}`))
    const chunk = { ...of, first, last: next.position, at, events: packEvents(made) }
    await ctx.table.commit([chunks.insert(chunk), head._v === 0 ? logHeads.insert(next) : logHeads.replace(next, head)])
    return envelopesOf(chunk).map((event, index) => ({ event, position: first + index }))
  }

  /** What the queue holds, worked off like messages; what that adds is left for the next call. */
  async workOffQueue(): Promise<void> {
    for (const message of this.queue.splice(0)) await handleBody(JSON.stringify(message))
  }

  /** Puts an endpoint into a state as its failures would. */
  async setHealth(endpoint: Stored<Endpoint>, health: Partial<Endpoint>): Promise<void> {
    const now = this.clock.now()
    const failing = { error_since: iso(now), disable_at: iso(now + 5 * 86_400_000) }
    const changed = { ...endpoint, ...failing, ...health }
    await this.ctx().table.commit([endpoints.replace(changed, endpoint)])
  }

  lastSent(): Sent {
    const last = this.sent.at(-1)
    if (!last) throw new Error('nothing was sent')
    return last
  }

  /** All deliveries, oldest first. */
  deliveries(): Stored<Delivery>[] {
    const items = this.table.items(TABLE).filter((item) => item._type?.S === deliveries.name)
    return items.map((item) => deliveries.decode(item)).toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
  }

  reread({ id }: { id: string }): Promise<Stored<Endpoint>> {
    return findEndpoint(this.ctx(), id)
  }

  /** The types of all events committed so far, in order. */
  committed(): string[] {
    return this.table.stream
      .filter(({ eventName, newImage }) => eventName === 'INSERT' && newImage?._type?.S === 'OUTBOX')
      .flatMap(({ newImage }) => unpackEvents(newImage?.events?.S ?? '').events.map(({ type }) => type))
  }

  async #tenant(id: string): Promise<void> {
    const tenant = { id, name: id, plan: 'enterprise', status: 'active', created_at: iso(this.clock.now()) } as const
    await this.ctx().table.commit([tenants.insert(Tenant.parse(tenant))])
  }

  async #putEvents({ Entries }: PutEvents): Promise<object> {
    const results = Entries.map(({ Source, DetailType, Detail }) => {
      const message = { source: Source, type: DetailType, detail: JSON.parse(Detail) }
      if (this.busRefuses(message)) return { ErrorCode: 'ThrottlingException' }
      this.bus.push(message)
      return { EventId: String(this.bus.length) }
    })
    return { Entries: results, FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length }
  }

  async #queue(input: SendBatch | Change): Promise<object> {
    if ('Entries' in input) return this.#sendBatch(input)
    this.comesBackAfter.set(input.ReceiptHandle, input.VisibilityTimeout)
    return {}
  }

  async #sendBatch({ Entries }: SendBatch): Promise<object> {
    const failed: SendBatch['Entries'] = []
    for (const entry of Entries) {
      if (this.queueRefuses()) failed.push(entry)
      else this.queue.push(JSON.parse(entry.MessageBody))
    }
    return { Failed: failed.map(({ Id }) => ({ Id, Code: 'x', SenderFault: false })) }
  }
}

type PutEvents = { Entries: { Source: string; DetailType: string; Detail: string }[] }
type Change = { ReceiptHandle: string; VisibilityTimeout: number }
type SendBatch = { Entries: { Id: string; MessageBody: string }[] }
