// The rules about sign-ins on a table in memory and a clock that stands still until the test moves it.
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { type Context, createContext, setRuntime, SYSTEM } from '../../../../shared/base/context.ts'
import { outbox, type OutboxItem, unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import type { Mail } from '../../../../shared/ledger/events/mail.ts'
import { type SecurityEvent, securityEvents } from '../../../../shared/identity/security-events/security-event.ts'
import { Tenant, tenants } from '../../../../shared/base/tenant/tenant.ts'
import { type User, NEW_USER, users } from '../../../../shared/identity/accounts/user.ts'
import { intercept } from '../../../support/intercept.ts'
import { memorySecrets } from '../../../support/memory-aws.ts'
import { MemoryTable } from '../../../support/memory-table.ts'
import { stillClock } from '../../../support/still-clock.ts'

export const TABLE = 'countersign'
export const MINUTE = 60_000
export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'

export const anna: User = {
  ...NEW_USER,
  id: '6f1c2f62-8d0e-4c55-9d6f-0c3a8d3f2b10',
  tenant_id: 'ten_1',
  username: '01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
  email: 'anna@example.com',
  email_verified: true,
  name: 'Anna',
  roles: ['member'],
  status: 'active',
  source: 'register',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

export class Service {
  /** On the border of a quarter of an hour, so that windows begin where tests do. */
  readonly clock = stillClock(Date.UTC(2026, 10, 20, 22, 30))
  readonly table = new MemoryTable(() => this.clock.now())
  #requests = 0

  async start(settings: Partial<Tenant['settings']> = {}): Promise<void> {
    Object.assign(process.env, {
      TABLE_NAME: TABLE,
      EVIDENCE_ORIGIN: 'countersign.test',
      SECRET_ID: 'secret',
      EVIDENCE_SECRET_ID: 'evidence-secret',
      LOG_LEVEL: 'off',
      AWS_REGION: 'memory',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
    })
    delete process.env.COUNTRIES_FILE
    coldStart()
    setRuntime({ clock: this.clock })
    resetClients([
      (client, service) =>
        intercept(client, service === 'dynamodb' ? (command) => this.table.send(command) : memorySecrets()),
    ])
    const tenant = { id: 'ten_1', name: 'Acme', plan: 'team', status: 'active', created_at: iso(this.clock.now()) }
    await this.ctx().table.commit([tenants.insert(Tenant.parse({ ...tenant, settings })), users.insert(anna)])
  }

  /** As of a request nobody has signed in for yet. */
  ctx(): Context {
    this.#requests += 1
    const request = { request_id: `req_${this.#requests}`, trace_id: 'trace', ip: '198.51.100.7', user_agent: CHROME }
    return createContext({
      space: { tenant_id: 'none', mode: 'live' },
      principal: SYSTEM,
      request: { ...request, at: this.clock.now() },
    })
  }

  wait(ms: number): void {
    this.clock.moveTo(this.clock.now() + ms)
  }

  user(): Promise<User | undefined> {
    return this.ctx().table.get(users, anna)
  }

  /** What was found, oldest first, also about nobody's account. */
  found(): SecurityEvent[] {
    const items = this.table.items(TABLE).filter((item) => item._type?.S === securityEvents.name)
    return items.map((item) => securityEvents.decode(item)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  #outbox(): OutboxItem[] {
    return this.table.stream.flatMap(({ eventName, newImage }) =>
      eventName === 'INSERT' && newImage?._type?.S === outbox.name ? outbox.decode(newImage) : [],
    )
  }

  /** The types of all events committed so far. */
  events(): string[] {
    return this.#outbox().flatMap(({ events }) => unpackEvents(events).events.map(({ type }) => type))
  }

  mails(): Mail[] {
    return this.#outbox().flatMap(({ mails = [] }) => mails)
  }

  /** How many calls of which kind something makes. */
  async callsOf(run: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = { ...this.table.calls }
    await run()
    return Object.fromEntries(
      Object.entries(this.table.calls)
        .map(([name, total]) => [name, total - (before[name] ?? 0)] as const)
        .filter(([, made]) => made > 0),
    )
  }
}
