// API keys: 192 random bits with a checksum, stored only as an HMAC, so a copy of the table holds no usable key. The second half
// limits unknown keys from one address.
import { crc32 } from 'node:zlib'
import * as z from 'zod'
import type { Mode } from '../../base/context.ts'
import { iso, MINUTE_MS } from '../../base/lib/clock.ts'
import { hmacSha256, sha256 } from '../../base/lib/json.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { type Permission, PERMISSIONS, SCOPES } from '../../base/catalog/permissions.ts'
import { addNow } from '../../base/kernel/count.ts'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { Failure } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Table } from '../../base/table/table.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORMAT = /^ak_(live|test)_[0-9A-Za-z]{39}$/

export const ApiKey = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  kind: z.enum(MODES),
  scopes: z.array(z.enum(SCOPES)),
  /** The maker's permissions when the key was made. The key never exceeds them, nor the maker's current ones. */
  cap: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
  hint: z.string(),
  digest: z.string(),
  /** The pepper that the digest was made with. */
  pepper_id: z.string().optional(),
  /** Belongs to the tenant: it outlives its creator. */
  service: z.boolean(),
  agent_id: z.string().optional(),
  created_by: z.string(),
  /** Everybody who has seen this key or one that it replaces: each of them could make requests with it. */
  seen_by: z.array(z.string()).default([]),
  created_at: z.string(),
  expires_at: z.string(),
  /** The key that this one replaces. */
  replaces: z.string().optional(),
  /** The first key of the line of rotations that this one belongs to. */
  lineage: z.string().optional(),
  revoked_at: z.string().optional(),
  last_used_at: z.string().optional(),
  /** When its maker was removed and the tenant kept it. */
  transferred_at: z.string().optional(),
  /** When its expiry was announced. */
  notice_sent_at: z.string().optional(),
})
export type ApiKey = z.output<typeof ApiKey>

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

/** `now` in ms. A key is expired from the millisecond of `expires_at` on. */
export function statusOf({ revoked_at, expires_at }: ApiKey, now: number): KeyStatus {
  if (revoked_at) return 'revoked'
  return expires_at <= iso(now) ? 'expired' : 'active'
}

/** The expiry of a key is announced this long before. A key with a shorter life gets no notice. */
export const NOTICE_MS = 86_400_000

/** Keys whose expiry has not been announced yet, by the day on which they expire. */
export const expiringPartition = (expires_at: string): string => key('DUE', 'APIKEY', expires_at.slice(0, 10))

const awaitsNotice = ({ revoked_at, notice_sent_at, created_at, expires_at }: ApiKey) =>
  !revoked_at && !notice_sent_at && Date.parse(expires_at) - Date.parse(created_at) > NOTICE_MS

/** All keys of a tenant, of both modes. */
export const keysPartition = (tenantId: string): string => key('T', tenantId, 'live', 'APIKEYS')

/** Stored under the digest of the key, so that a presented key finds its tenant. */
export const apiKeys = bound({
  name: 'APIKEY',
  schema: ApiKey,
  key: ({ digest }: { digest: string }) => ({ pk: key('APIKEY', digest), sk: 'KEY' }),
  index: (item) => ({
    gsi1pk: keysPartition(item.tenant_id),
    gsi1sk: key(item.created_at, item.id),
    ...(awaitsNotice(item) && {
      gsi2pk: expiringPartition(item.expires_at),
      gsi2sk: key(item.expires_at, item.id),
    }),
  }),
  free: ['name', 'revoked_at', 'last_used_at', 'transferred_at', 'notice_sent_at'],
})

/** Finds the digest under which a key is stored by its id, which is not secret. */
export const keyRefs = entity({
  name: 'APIKEYREF',
  unbound: 'names what is proven',
  schema: z.object({
    tenant_id: z.string(),
    id: z.string(),
    digest: z.string(),
    /** Also here, for readers that know only the id. */
    revoked_at: z.string().optional(),
  }),
  key: (of: { tenant_id: string; id: string }) => ({ pk: key('T', of.tenant_id, 'live', 'APIKEY', of.id), sk: 'REF' }),
})

/** The writes that store a new key. */
export const keyInserts = (item: ApiKey): Write[] => [
  apiKeys.insert(item),
  keyRefs.insert({ tenant_id: item.tenant_id, id: item.id, digest: item.digest }),
]

/** `value` as base62, most significant digit first, left-padded with `0`. */
function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value, i = 0; i < length; i += 1, rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text
  return text
}

const checksum = (body: string) => base62(BigInt(crc32(body)), 6)

/** A new key: `ak_<mode>_`, 33 random characters, 6 characters CRC-32 of all before them. */
export function makeApiKey(mode: Mode, random: RandomBytes): string {
  const number = BigInt(`0x${Buffer.from(random(24)).toString('hex')}`)
  const body = `ak_${mode}_${base62(number, 33)}`
  return body + checksum(body)
}

/** The mode of a well-formed key, undefined for anything else: a mistyped key costs no look-up. */
export function modeOfKey(text: string): Mode | undefined {
  const mode = FORMAT.exec(text)?.[1] as Mode | undefined
  return mode && checksum(text.slice(0, -6)) === text.slice(-6) ? mode : undefined
}

/** What is stored and looked up instead of the key (base64url). */
export const digestOf = (pepper: string, apiKey: string): string => hmacSha256(pepper, apiKey).toString('base64url')

/**
 * Most unknown keys of one address within a minute. Keys cannot be guessed, but each attempt costs a look-up. Known keys keep working
 * from a blocked address, because many people may share it (decision 0027).
 */
export const UNKNOWN_KEYS_MAX = 30
export const BLOCK_MS = 600_000

const hashOf = (ip: string) => sha256(ip || 'unknown').toString('base64url')

const blocks = entity({
  name: 'BLOCK',
  unbound: 'bounded',
  schema: z.object({ until: z.int() }),
  key: ({ ip }: { ip: string }) => ({ pk: key('BLOCK', 'keys', hashOf(ip)), sk: 'B' }),
})

const counterKey = (ip: string, minute: number) => ({
  pk: key('COUNTER', 'unknown_key_flood', hashOf(ip), String(minute)),
  sk: 'C',
})

/** Blocks that this container has read or made, so that they need no further read. */
const known = memory<number>()

/** ms for which an address must wait as far as this container knows. */
export const rememberedBlock = (table: Table, ip: string): number =>
  Math.max(0, (known.get(ip) ?? 0) - table.clock.now())

/** ms for which the address must wait; 0 when it is not blocked. The read joins the batch of the look-up of the key. */
export async function blockOf(table: Table, ip: string): Promise<number> {
  const { until = 0 } = (await table.get(blocks, { ip })) ?? {}
  if (until > table.clock.now()) known.set(ip, until)
  return rememberedBlock(table, ip)
}

export function tooManyUnknown(ms: number): Failure {
  const retryAfterSeconds = Math.ceil(ms / 1_000)
  return new Failure('rate_limited', `Too many unknown API keys. Retry in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  })
}

/** Counts an unknown key. The last one allowed in a minute blocks the address. If counting fails, nothing is blocked. */
export async function noteUnknownKey(table: Table, ip: string): Promise<void> {
  try {
    const now = table.clock.now()
    if ((await countOne(table, ip, now)) < UNKNOWN_KEYS_MAX) return
    const until = now + BLOCK_MS
    await table.update(blocks.key({ ip }), { set: { until, _type: blocks.name, _ttl: Math.ceil(until / 1_000) } })
    known.set(ip, until)
    warn('unknown_key_flood', `${UNKNOWN_KEYS_MAX} unknown keys in a minute`, { address: hashOf(ip) })
  } catch (error) {
    warn('unknown_key_not_counted', error)
  }
}

async function countOne(table: Table, ip: string, now: number): Promise<number> {
  const counted = await addNow(table, {
    at: counterKey(ip, Math.floor(now / MINUTE_MS)),
    add: [['n', 1]],
    set: { _ttl: Math.ceil((now + 2 * MINUTE_MS) / 1_000) },
  })
  return Number(unmarshall(counted).n ?? 0)
}
