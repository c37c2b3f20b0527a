import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { personBehind } from '../../identity/access/grant-now.ts'
import { AUDITED, auditable } from './audited.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import { mustBeCallable } from './endpoint-url.ts'
import type { EndpointInput } from './endpoint-fields.ts'
import { commitWithinPlan } from './capacity.ts'
import { sealParts } from './sealed-parts.ts'
import { newSecret, secretHint } from '../../base/signing/secret.ts'

/** `secret` only when the service generated it: it is shown once and never again. */
export type Created = { endpoint: Stored<Endpoint>; secret?: string }

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
