// Layer 2: who is calling. Validity of a key is read on every request and never remembered, so revocation is immediate;
// what a container may remember is which tenant a key belongs to, which lets all first reads start at once.
import { type ApiKey, apiKeys, digestOf, modeOfKey } from '../access/api-key.ts'
import { deploymentSecret } from '../access/deployment-secret.ts'
import { permissionsOfScopes } from '../access/permissions.ts'
import { createContext, openTable, type Principal, type Space, SYSTEM } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { Failure, malformed } from '../lib/failure.ts'
import { remember } from '../lib/remember.ts'
import type { Stored } from '../table/entity.ts'
import type { Table } from '../table/table.ts'
import type { Call, Incoming, Layer } from './call.ts'
import { timesSent } from './rest-event.ts'
import type { Route } from './route.ts'

/** Starts the first reads of a request in a known space. */
export type Begin = (call: Call, space: Space, table: Table) => NonNullable<Call['started']>

const LAST_USED_STEP_MS = 60_000
const NEGATIVE_MS = 60_000
const REMEMBERED_MAX = 10_000

const spaces = new Map<string, Space>()
const unknownDigests = new Map<string, number>()

/** For harnesses that switch to another deployment in one process. */
export function forgetCredentials(): void {
  spaces.clear()
  unknownDigests.clear()
}

export const unauthenticated = () =>
  new Failure('unauthenticated', 'invalid or expired credentials', {
    headers: {
      'WWW-Authenticate': `Bearer realm="countersign", resource_metadata="${process.env.BASE_URL}/.well-known/oauth-protected-resource"`,
    },
  })

export const authenticate = (route: Route, begin: Begin): Layer => ({
  before: async ({ event }) => {
    const { call } = event
    const table = openTable()
    if (route.access === 'public' || route.access === 'provider') {
      const space: Space = { tenant_id: 'none', mode: 'live' }
      call.ctx = createContext({
        space,
        principal: SYSTEM,
        request: { ...call.ids, ip: call.ip, user_agent: call.userAgent, at: call.at },
        table,
      })
      return
    }
    const digests = await presentedKey(event)
    const known = digests.map((digest) => spaces.get(digest)).find((space) => space !== undefined)
    const early = known && begin(call, known, table)
    const credential = await findKey(table, digests)
    const space: Space = { tenant_id: credential.tenant_id, mode: credential.kind }
    call.started = early ?? begin(call, space, table)
    call.ctx = createContext({
      space,
      principal: principalOf(credential),
      request: { ...call.ids, ip: call.ip, user_agent: call.userAgent, at: call.at },
      table,
    })
    call.recheck = async () => void (await findKey(table, digests))
    noteUse(call, credential)
  },
})

/** What the one well-formed key in the request may be stored under: by the present pepper, or by the one before. */
async function presentedKey(event: Incoming): Promise<string[]> {
  const { headers } = event.call
  const sent = timesSent(event, 'authorization') + timesSent(event, 'x-api-key')
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const apiKey = headers['x-api-key'] ?? bearer
  const mode = apiKey && modeOfKey(apiKey)
  if (sent !== 1 || !mode) throw unauthenticated()
  if ((headers['x-mode'] ?? mode) !== mode) throw malformed('X-Mode contradicts the key.')
  const { pepper, previous_pepper } = await deploymentSecret()
  return [pepper, ...(previous_pepper ? [previous_pepper] : [])].map(({ value }) => digestOf(value, apiKey))
}

async function findKey(table: Table, digests: readonly string[]): Promise<Stored<ApiKey>> {
  for (const digest of digests) {
    const credential = await readKey(table, digest)
    if (!credential) continue
    if (credential.revoked_at || credential.expires_at <= iso(table.clock.now())) {
      spaces.delete(digest) // a dead key must not go on taking from its tenant's windows
      throw unauthenticated()
    }
    remember(spaces, digest, { tenant_id: credential.tenant_id, mode: credential.kind }, REMEMBERED_MAX)
    return credential
  }
  throw unauthenticated()
}

/** What was unknown a moment ago is not read again. */
async function readKey(table: Table, digest: string): Promise<Stored<ApiKey> | undefined> {
  const now = table.clock.now()
  if ((unknownDigests.get(digest) ?? 0) > now) return undefined
  const credential = await table.get(apiKeys, { digest })
  if (!credential) remember(unknownDigests, digest, now + NEGATIVE_MS, REMEMBERED_MAX)
  return credential
}

function principalOf(credential: ApiKey): Principal {
  const cap = new Set(credential.cap)
  return {
    kind: 'api_key',
    id: credential.id,
    credential: 'api_key',
    permissions: permissionsOfScopes(credential.scopes).intersection(cap),
    roles: [],
    persons: [credential.created_by],
    creator: credential.created_by,
    agent_id: credential.agent_id,
  }
}

/** Writes `last_used_at` at most once a minute, beside the operation; losing the race to another request is fine. */
function noteUse(call: Call, credential: ApiKey): void {
  const { table, clock } = call.ctx ?? {}
  if (!table || !clock) return
  const at = iso(clock.now())
  const last = credential.last_used_at
  if (last && Date.parse(last) > clock.now() - LAST_USED_STEP_MS) return
  const condition = last
    ? { expression: '#last_used_at = :was', values: { ':was': last } }
    : { expression: 'attribute_not_exists(#last_used_at)' }
  const update = table.update(apiKeys.key(credential), { set: { last_used_at: at }, condition })
  call.beside.push(update.catch(() => undefined))
}
