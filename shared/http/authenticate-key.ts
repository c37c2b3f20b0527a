// API keys: what a container may remember is which tenant a key belongs to, which lets all first reads start at once.
import { type ApiKey, apiKeys, digestOf } from '../access/api-key.ts'
import { deploymentSecret } from '../access/deployment-secret.ts'
import { blockOf, noteUnknownKey, rememberedBlock, tooManyUnknown } from '../access/key-flood.ts'
import { KEY_ONLY, permissionsOfScopes } from '../access/permissions.ts'
import type { Context, Mode, Principal, Space } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { malformed } from '../lib/failure.ts'
import { memory } from '../lib/memory.ts'
import type { Stored } from '../table/entity.ts'
import type { Table } from '../table/table.ts'
import { type Authenticated, type Begin, unauthenticated } from './authenticated.ts'
import type { Call } from './call.ts'

const LAST_USED_STEP_MS = 60_000
const NEGATIVE_MS = 60_000

const spaces = memory<Space>()
const unknownDigests = memory<number>()

export async function authenticateKey(
  call: Call,
  { key, mode }: { key: string; mode: Mode },
  table: Table,
  begin: Begin,
): Promise<Authenticated> {
  if ((call.headers['x-mode'] ?? mode) !== mode) throw malformed('X-Mode contradicts the key.')
  const digests = await digestsOf(key)
  const known = digests.map((digest) => spaces.get(digest)).find((space) => space !== undefined)
  const early = known && begin(call, known, table)
  const credential = known ? await findKey(table, digests) : await findNewKey(call, table, digests)
  if (!credential) throw unauthenticated()
  const space: Space = { tenant_id: credential.tenant_id, mode: credential.kind }
  return {
    space,
    principal: principalOf(credential),
    started: early ?? begin(call, space, table),
    recheck: async () => {
      if (!(await findKey(table, digests))) throw unauthenticated()
    },
    note: (ctx) => noteUse(ctx, credential),
  }
}

/** What a key may be stored under: by the present pepper, or by the one before. */
async function digestsOf(key: string): Promise<string[]> {
  const { pepper, previous_pepper } = await deploymentSecret()
  return [pepper, ...(previous_pepper ? [previous_pepper] : [])].map(({ value }) => digestOf(value, key))
}

/** A key that this container has not met yet: who sends too many that do not exist has to wait. */
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

/** Undefined for a key that was never made; throws 401 for one that is over. */
async function findKey(table: Table, digests: readonly string[]): Promise<Stored<ApiKey> | undefined> {
  for (const digest of digests) {
    const credential = await readKey(table, digest)
    if (!credential) continue
    if (credential.revoked_at || credential.expires_at <= iso(table.clock.now())) {
      spaces.delete(digest) // a dead key must not go on taking from its tenant's windows
      throw unauthenticated()
    }
    spaces.set(digest, { tenant_id: credential.tenant_id, mode: credential.kind })
    return credential
  }
  return undefined
}

/** What was unknown a moment ago is not read again. */
async function readKey(table: Table, digest: string): Promise<Stored<ApiKey> | undefined> {
  const now = table.clock.now()
  if ((unknownDigests.get(digest) ?? 0) > now) return undefined
  const credential = await table.get(apiKeys, { digest })
  if (!credential) unknownDigests.set(digest, now + NEGATIVE_MS)
  return credential
}

function principalOf(credential: ApiKey): Principal {
  const cap = new Set(credential.cap)
  return {
    kind: 'api_key',
    id: credential.id,
    credential: 'api_key',
    permissions: permissionsOfScopes(credential.scopes).intersection(
      cap.has('users:write') ? cap.union(KEY_ONLY) : cap,
    ),
    roles: [],
    persons: [credential.created_by],
    creator: credential.created_by,
    agent_id: credential.agent_id,
  }
}

/** `last_used_at`, at most once a minute; losing the race to another request is fine. */
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
