// API keys. A container caches only the tenant and the agent of a key, so that all first reads can start at once. The key and
// its creator are read on every request.
import {
  type ApiKey,
  apiKeys,
  blockOf,
  digestOf,
  noteUnknownKey,
  rememberedBlock,
  tooManyUnknown,
} from '../identity/access/api-key.ts'
import { deploymentSecret } from '../base/aws/deployment-secret.ts'
import { KEY_ONLY, type Permission, permissionsOfScopes } from '../base/catalog/permissions.ts'
import { grantNow, makerOf, type Person, personsOf } from '../identity/access/permissions.ts'
import type { Context, Mode, Principal, Space } from '../base/context.ts'
import { iso } from '../base/lib/clock.ts'
import { malformed } from '../base/lib/failure.ts'
import { memory } from '../base/lib/memory.ts'
import type { Stored } from '../base/table/entity.ts'
import type { Table } from '../base/table/table.ts'
import type { Authenticated, Begin, Caller } from './authenticated.ts'
import { type Call, unauthenticated } from '../base/wire/call.ts'

const LAST_USED_STEP_MS = 60_000
const NEGATIVE_MS = 60_000

type Whose = Pick<ApiKey, 'id' | 'tenant_id' | 'kind' | 'created_by' | 'service' | 'agent_id'>

const known = memory<Whose>()
const ended = memory<true>()
const unknownDigests = memory<number>()

export async function authenticateKey(
  call: Call,
  { key, mode }: { key: string; mode: Mode },
  table: Table,
  begin: Begin,
): Promise<Authenticated> {
  if ((call.headers['x-mode'] ?? mode) !== mode)
    throw malformed(`X-Mode is not the mode of the key. Send ${mode}, or leave it out.`)
  const digests = await digestsOf(key)
  const whose = digests.map((digest) => known.get(digest)).find((one) => one !== undefined)
  const early = whose && begin(call, spaceOf(whose), table, callerOf(whose))
  const [credential, met] = await Promise.all([
    whose ? findKey(table, digests) : findNewKey(call, table, digests),
    whose && makerOf(table, whose),
  ])
  if (!credential) throw unauthenticated()
  const space = spaceOf(credential)
  // An ended key must not count in its tenant's rate limit.
  const caller = callerOf(credential)
  const started = early ?? (ended.has(credential.digest) ? undefined : begin(call, space, table, caller))
  const maker = whose ? met : await makerOf(table, credential)
  const grant = grantOf(credential, maker)
  return {
    space,
    principal: principalOf(credential, grant, maker),
    started: started ?? begin(call, space, table, caller),
    recheck: async () => {
      const again = await findKey(table, digests)
      if (!again) throw unauthenticated()
      grantOf(again, await makerOf(table, again))
    },
    note: (ctx) => noteUse(ctx, credential),
  }
}

const callerOf = ({ id, agent_id, created_by }: Whose): Caller => ({
  kind: 'api_key',
  id,
  agent_id,
  persons: [created_by],
})

const spaceOf = ({ tenant_id, kind }: Whose): Space => ({ tenant_id, mode: kind })

/** Throws 401 while the creator has no rights. */
function grantOf(credential: ApiKey, maker: Person | undefined): Set<Permission> {
  const grant = grantNow(credential, maker)
  if (grant) {
    ended.delete(credential.digest)
    return grant
  }
  known.delete(credential.digest)
  ended.set(credential.digest, true)
  throw unauthenticated()
}

/** The digests under which a key may be stored: with the current pepper and with the former one. */
async function digestsOf(key: string): Promise<string[]> {
  const { pepper, previous_pepper } = await deploymentSecret()
  return [pepper, ...(previous_pepper ? [previous_pepper] : [])].map(({ value }) => digestOf(value, key))
}

/** Finds a key that is not cached yet. An address that sends too many unknown keys is rate limited. */
async function findNewKey(call: Call, table: Table, digests: readonly string[]): Promise<Stored<ApiKey> | undefined> {
  const now = table.clock.now()
  const isLookedUp = digests.some((digest) => (unknownDigests.get(digest) ?? 0) <= now)
  const [credential, wait] = await Promise.all([
    findKey(table, digests),
    isLookedUp ? blockOf(table, call.ip) : rememberedBlock(table, call.ip),
  ])
  if (credential) return credential
  if (wait > 0) throw tooManyUnknown(wait)
  if (isLookedUp) call.beside.push(noteUnknownKey(table, call.ip))
  return undefined
}

/** Undefined for a key that does not exist; throws 401 for one that has ended. */
async function findKey(table: Table, digests: readonly string[]): Promise<Stored<ApiKey> | undefined> {
  for (const digest of digests) {
    const credential = await readKey(table, digest)
    if (!credential) continue
    if (credential.revoked_at || credential.expires_at <= iso(table.clock.now())) {
      known.delete(digest) // an ended key must not count in its tenant's rate limit
      throw unauthenticated()
    }
    const { id, tenant_id, kind, created_by, service, agent_id } = credential
    known.set(digest, { id, tenant_id, kind, created_by, service, agent_id })
    return credential
  }
  return undefined
}

/** A digest that was unknown a moment ago is not read again. */
async function readKey(table: Table, digest: string): Promise<Stored<ApiKey> | undefined> {
  const now = table.clock.now()
  if ((unknownDigests.get(digest) ?? 0) > now) return undefined
  const credential = await table.get(apiKeys, { digest })
  if (!credential) unknownDigests.set(digest, now + NEGATIVE_MS)
  return credential
}

function principalOf(credential: ApiKey, grant: ReadonlySet<Permission>, maker: Person | undefined): Principal {
  return {
    kind: 'api_key',
    id: credential.id,
    credential: 'api_key',
    permissions: permissionsOfScopes(credential.scopes).intersection(
      grant.has('users:write') ? grant.union(KEY_ONLY) : grant,
    ),
    grant,
    roles: [],
    persons: personsOf(credential),
    lineage: credential.lineage,
    creator: credential.created_by,
    email_verified: maker?.user.email_verified,
    agent_id: credential.agent_id,
  }
}

/** Writes `last_used_at` at most once a minute. A concurrent request may win the race. */
function noteUse(ctx: Context, credential: ApiKey): Promise<void> | undefined {
  const last = credential.last_used_at
  const now = ctx.now()
  if (last && Date.parse(last) > now - LAST_USED_STEP_MS) return undefined
  const condition = last
    ? { expression: '#last_used_at = :was', values: { ':was': last } }
    : { expression: 'attribute_not_exists(#last_used_at)' }
  const update = ctx.table.update(apiKeys.key(credential), { set: { last_used_at: iso(now) }, condition })
  return update.catch(() => undefined)
}
