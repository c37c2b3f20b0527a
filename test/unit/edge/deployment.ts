// The request layers in one process: a table in memory, one tenant with its keys, and operations that a test makes up.
import * as z from 'zod'
import { type ApiKey, keyInserts } from '../../../shared/identity/access/api-key.ts'
import { newApiKey } from '../../../shared/identity/access/create-key.ts'
import { permissionsOfRoles, type Scope, SCOPES } from '../../../shared/base/catalog/permissions.ts'
import { resetClients } from '../../../shared/base/aws/clients.ts'
import { type Context, type Mode, setRuntime, systemContext } from '../../../shared/base/context.ts'
import { newArtifact } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../../shared/ledger/evidence/artifact/record.ts'
import type { Handler } from '../../../shared/edge/endpoint.ts'
import type { RestEvent } from '../../../shared/base/wire/rest-event.ts'
import { area, post, type RouteOptions } from '../../../shared/base/wire/route.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { conflict } from '../../../shared/base/lib/failure.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { entity, spaceKey } from '../../../shared/base/table/entity.ts'
import { Tenant, tenants } from '../../../shared/base/tenant/tenant.ts'
import { intercept } from '../../support/intercept.ts'
import { MemoryTable } from '../../support/memory-table.ts'
import { accountIn } from '../../support/person.ts'
import { testClock } from '../../support/test-clock.ts'

export const TABLE = 'countersign'
export const [SECRET_ROOT, EVIDENCE_KEY] = ['r'.repeat(44), 'k'.repeat(44)]

export type Reply = { status: number; headers: Record<string, string>; body: Record<string, unknown> }

type Input = {
  key?: string
  body?: object | string
  headers?: Record<string, string>
  params?: Record<string, string>
  query?: Record<string, string>
}

/** Something that a request makes, under a name that is taken once. */
const things = entity({
  name: 'THING',
  unbound: 'bounded',
  schema: z.object({ tenant_id: z.string(), mode: z.enum(['live', 'test']), name: z.string() }),
  key: (of: { tenant_id: string; mode: Mode; name: string }) => ({ pk: spaceKey(of, 'THING', of.name), sk: 'THING' }),
})

/** Makes a thing with its evidence, as the verbs of the service do. `ref` is left out by a commit that is not the request's own. */
export async function makeThing(ctx: Context, name: string, ref: string | undefined = name): Promise<{ name: string }> {
  const artifact = newArtifact(ctx, { type: 'manifest.registered', subject: { type: 'node', id: name } })
  const taken = conflict(`${name} exists`, { code: 'already_exists' })
  const thing = things.insert({ ...ctx.space, name }, taken)
  await ctx.table.commit([thing, ...commitWith(ctx, [{ artifact }])], ref === '' ? undefined : ref)
  return { name }
}

export const route = (options: Partial<RouteOptions> = {}) =>
  area('sample', {
    make: post('/api/things/{id}', {
      host: 'api',
      access: 'protocol:write',
      rate: 'global',
      uses: [{ table: 'write' }],
      evidence: 'manifest.registered',
      success: 201,
      resource: 'thing',
      summary: 'Makes a thing.',
      ...options,
    }),
  }).make

export async function deploy(tenant: Partial<Tenant> = {}) {
  Object.assign(process.env, {
    TABLE_NAME: TABLE,
    SECRET_ID: 'secret',
    EVIDENCE_SECRET_ID: 'evidence-secret',
    BASE_URL: 'https://api.example',
    EVIDENCE_ORIGIN: 'countersign.test',
    LOG_LEVEL: 'off',
    AWS_REGION: 'memory',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  })
  const clock = testClock(Date.UTC(2026, 10, 20, 22, 37))
  const table = new MemoryTable(clock.now)
  const secret: { current: object } = { current: { root: SECRET_ROOT } }
  resetClients([
    (client, service) => {
      if (service === 'dynamodb') intercept(client, (command) => table.send(command))
      else intercept(client, async () => ({ SecretString: JSON.stringify({ key: EVIDENCE_KEY, ...secret.current }) }))
    },
  ])
  setRuntime({ clock })
  coldStart()

  const space = { tenant_id: 'ten_1', mode: 'live' as Mode }
  const ctx = systemContext(space)
  const created_at = iso(clock.now())
  await ctx.table.commit([
    tenants.insert(
      Tenant.parse({ id: space.tenant_id, name: 'Acme', plan: 'business', status: 'active', created_at, ...tenant }),
    ),
  ])

  await accountIn(space, ['owner'], { id: 'usr_1', email: null, email_verified: true })
  const key = async (over: Partial<ApiKey> = {}, scopes: readonly Scope[] = SCOPES): Promise<string> => {
    const cap = [...permissionsOfRoles(['owner'])]
    const made = await newApiKey(ctx, { name: 'k', kind: over.kind ?? 'live', scopes, created_by: 'usr_1', cap })
    await ctx.table.commit(keyInserts({ ...made.item, ...over }))
    return made.secret
  }

  return {
    clock,
    table,
    space,
    ctx,
    key,
    /** What the deployment's secret becomes, for containers that start from now on. */
    setSecret: (parts: object) => {
      secret.current = { root: SECRET_ROOT, ...parts }
      coldStart()
    },
    /** Items of one kind. */
    count: (type: string) => table.items(TABLE).filter((item) => item._type?.S === type).length,
    send: (handler: Handler, input: Input = {}) => send(handler, input),
  }
}

export type Deployment = Awaited<ReturnType<typeof deploy>>

async function send(handler: Handler, input: Input): Promise<Reply> {
  const { key, body = {}, headers = {}, params = { id: 'a' }, query = {} } = input
  const sent = { ...(key && { Authorization: `Bearer ${key}` }), ...headers }
  const event: RestEvent = {
    httpMethod: 'POST',
    path: '/api/things/a',
    resource: '/api/things/{id}',
    multiValueHeaders: listed(sent),
    multiValueQueryStringParameters: listed(query),
    pathParameters: params,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    requestContext: { identity: { sourceIp: '203.0.113.9' } },
  }
  const { statusCode, headers: answered, body: text } = await handler(event, {})
  return { status: statusCode, headers: answered, body: text === '' ? {} : JSON.parse(text) }
}

const listed = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]))
