import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { given } from '../../base/lib/given.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { AUDITED, auditable } from './audited.ts'
import { mustBeCallable } from './endpoint-url.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import type { EndpointChange } from './endpoint-fields.ts'
import { personBehind } from '../../identity/access/grant-now.ts'
import { versionConflict, findEndpoint } from './find-endpoint.ts'
import { mustBeAllowedToResume } from './pause-endpoints.ts'
import { disabled, enabled, statusEvent, statusMail } from './health.ts'
import { openParts, sealParts } from './sealed-parts.ts'

/** Changes the given fields. `status: active` also clears the error state of the endpoint. */
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
