// Creates, changes and deletes an endpoint. Each is one transaction of the row, the audit entry, the artifact and the events.
import { changed } from '../../../ledger/audit/changed.ts'
import { differences } from '../../../ledger/audit/differences.ts'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { personBehind } from '../../../identity/access/permissions.ts'
import { auditable, AUDITED, disabled, enabled, statusEvent, statusMail } from './health.ts'
import { type Endpoint, endpoints, endpointsKey, findEndpoint, versionConflict } from './endpoint.ts'
import { type EndpointChange, type EndpointInput, mustBeCallable } from './fields.ts'
import { openParts, sealParts } from './sealed-parts.ts'
import { newSecret, secretHint } from '../../../base/signing/signature.ts'
import { given } from '../../../base/lib/json.ts'
import { conflict, notFound } from '../../../base/lib/failure.ts'
import { mustBeAllowedToResume } from './pause.ts'
import { retry } from '../../../base/kernel/retry.ts'
import { roomForOne } from '../../../base/tenant/retention.ts'

/** `secret` only when the service generated it: it is shown once and never again. */
export type Created = { endpoint: Stored<Endpoint>; secret?: string }

/**
 * Stores the endpoint; the next event is sent to it. Returns the secret once, if the service made it. Throws 422 for an address
 * that may not be called, 403 `plan_limit` where the plan allows no more. Who is responsible for the address is the caller,
 * whom the input cannot name.
 */
export async function createEndpoint(ctx: Context, input: EndpointInput): Promise<Created> {
  await mustBeCallable(input.url)
  const secret = input.secret ?? newSecret(ctx.random)
  const endpoint = await newEndpoint(ctx, input, secret)
  const writes = changed(ctx, [
    {
      action: 'webhook_endpoint.created',
      artifact: 'webhook.endpoint.created',
      subject: { type: 'webhook_endpoint', id: endpoint.id, name: endpoint.name },
      data: { events: endpoint.events, status: endpoint.status },
      changes: differences(undefined, auditable(endpoint), AUDITED),
    },
  ])
  await commitWithinPlan(ctx, [endpoints.insert(endpoint), ...writes], endpoint.id)
  return { endpoint: { ...endpoint, _v: 1 }, ...(!input.secret && { secret }) }
}

async function newEndpoint(ctx: Context, input: EndpointInput, secret: string): Promise<Endpoint> {
  const { headers = {}, secret: _, status = 'active', ...fields } = input
  const of: Space & { id: string } = { ...ctx.space, id: ctx.id('whe') }
  const now = iso(ctx.now())
  const secretId = ctx.id('whs')
  return {
    ...of,
    ...fields,
    status,
    ...(status === 'disabled' && { disabled_reason: 'user' as const }),
    header_names: Object.keys(headers),
    secrets: [{ id: secretId, created_at: now, hint: secretHint(secret), seen_by: personBehind(ctx.principal) }],
    sealed: await sealParts(of, { secrets: { [secretId]: secret }, headers }),
    consecutive_failed: 0,
    created_at: now,
    updated_at: now,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
    responsible: personBehind(ctx.principal),
  }
}

/**
 * Changes the given fields. `status: active` also clears the error state of the endpoint. Throws 404, 409 for another version, 422
 * for an address that may not be called, 403 for a caller who may not resume an endpoint that was paused. A caller who sets the
 * address becomes responsible for it. Of two changes at once one gets the 409.
 */
export async function changeEndpoint(ctx: Context, id: string, change: EndpointChange): Promise<Stored<Endpoint>> {
  const was = await findEndpoint(ctx, id)
  const { version, ...fields } = change
  if (version !== undefined && version !== was._v) throw versionConflict(was)
  if (fields.status === 'active') mustBeAllowedToResume(ctx, was)
  if (fields.url !== undefined) await mustBeCallable(fields.url)
  const next = await afterChange(ctx, was, fields)
  const isMove = next.status !== was.status
  const update = {
    action: 'webhook_endpoint.updated',
    artifact: 'webhook.endpoint.updated',
    subject: { type: 'webhook_endpoint', id, name: next.name },
    data: { changed_fields: Object.keys(given(fields)), status: next.status },
    changes: differences(auditable(was), auditable(next), AUDITED),
    events: isMove ? [statusEvent(was, next)] : [],
  } as const
  const writes = changed(ctx, [update], { mails: isMove ? [statusMail(ctx, next)] : [] })
  await ctx.table.commit([endpoints.replace(next, was, versionConflict(was)), ...writes], id)
  return { ...next, _v: was._v + 1 }
}

/** `version`: delete only this version of the endpoint; when absent, any. */
type Removal = { id: string; version?: number | undefined }

/** Deletes an endpoint. Running deliveries stop at their next attempt; their log stays. */
export async function removeEndpoint(ctx: Context, { id, version }: Removal): Promise<void> {
  const was = await findEndpoint(ctx, id)
  if (version !== undefined && version !== was._v) throw versionConflict(was)
  const writes = changed(ctx, [
    {
      action: 'webhook_endpoint.deleted',
      artifact: 'webhook.endpoint.deleted',
      subject: { type: 'webhook_endpoint', id, name: was.name },
    },
  ])
  const exists = { expression: 'attribute_exists(pk)' }
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': version } }
  await ctx.table.commit([
    version === undefined
      ? endpoints.remove({ ...ctx.space, id }, exists, notFound('webhook endpoint'))
      : endpoints.remove({ ...ctx.space, id }, unchanged, versionConflict(was)),
    ...writes,
  ])
}

type Fields = Omit<EndpointChange, 'version'>

async function afterChange(ctx: Context, was: Stored<Endpoint>, fields: Fields): Promise<Endpoint> {
  const { headers, status, ...rest } = given(fields)
  const moved = status === 'active' ? enabled(was) : status === 'disabled' ? disabled(was, 'user') : was
  const takesOver = (rest.url ?? was.url) !== was.url || (was.status === 'disabled' && moved.status === 'active')
  const responsible = takesOver ? personBehind(ctx.principal) : was.responsible
  const next = { ...moved, ...rest, responsible, updated_at: iso(ctx.now()) }
  if (!headers) return next
  const { secrets } = await openParts(was)
  return { ...next, header_names: Object.keys(headers), sealed: await sealParts(was, { secrets, headers }) }
}

const TRIES = 10

/** Commits the writes of one more endpoint. Throws 403 `plan_limit` when the plan does not allow it. */
async function commitWithinPlan(ctx: Context, writes: readonly Write[], ref: string): Promise<void> {
  const busy = conflict('Other endpoints are being registered at the moment. Try again.')
  const count = async () => (await ctx.table.count({ pk: endpointsKey(ctx.space) })).total
  await retry(async () => {
    const room = await roomForOne(ctx, { quota: 'webhook_endpoints', count, busy })
    await ctx.table.commit([...room, ...writes], ref)
  }, [{ is: (error) => error === busy, tries: TRIES }])
}
