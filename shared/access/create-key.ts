import type { Context, Mode } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { type ApiKey, digestOf, makeApiKey } from './api-key.ts'
import { deploymentSecret } from './deployment-secret.ts'
import type { Permission, Scope } from './permissions.ts'

/** access-events-limits.md, "API keys": keys expire after 90 days. */
export const KEY_LIFETIME_DAYS = 90
const DAY_MS = 86_400_000

export type NewKey = {
  name: string
  kind: Mode
  scopes: readonly Scope[]
  /** The person who makes it, and what that person may do: the key can never do more. */
  created_by: string
  cap: readonly Permission[]
  agent_id?: string
}

/** A key in clear, which exists nowhere else, and the item that recognises it. Nothing is stored here. */
export async function newApiKey(ctx: Context, input: NewKey): Promise<{ secret: string; item: ApiKey }> {
  const secret = makeApiKey(input.kind, ctx.random)
  const { pepper } = await deploymentSecret()
  const now = ctx.now()
  const item: ApiKey = {
    id: ctx.id('key'),
    tenant_id: ctx.space.tenant_id,
    name: input.name,
    kind: input.kind,
    scopes: [...input.scopes],
    cap: [...input.cap],
    hint: secret.slice(0, 12),
    digest: digestOf(pepper.value, secret),
    service: false,
    agent_id: input.agent_id,
    created_by: input.created_by,
    created_at: iso(now),
    expires_at: iso(now + KEY_LIFETIME_DAYS * DAY_MS),
  }
  return { secret, item }
}
