// API keys: 192 random bits with a checksum. Stored only as an HMAC, so a copy of the table holds no usable key.
import { crc32 } from 'node:zlib'
import * as z from 'zod'
import type { Mode } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { hmacSha256 } from '../../base/lib/hash.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { PERMISSIONS, type Permission, SCOPES } from '../../base/catalog/permissions.ts'

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
    /** Also here, for who knows only the id. */
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
