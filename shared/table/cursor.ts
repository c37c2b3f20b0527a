// Signed, tenant-bound positions in a list. A client-made start key would choose where reading starts.
import * as z from 'zod'
import { derivedKey } from '../access/deployment-secret.ts'
import type { Space } from '../context.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { malformed } from '../lib/failure.ts'
import { hmacSha256, sameBytes, sha256Hex } from '../lib/hash.ts'

const Payload = z.strictObject({
  v: z.literal(1),
  /** Operation. */
  o: z.string(),
  /** First 16 hex digits of the hash of filters and path. */
  f: z.string(),
  /** The partition group and the sort key last read. */
  k: z.tuple([z.string(), z.string()]),
  /** Total of the first page, and whether it is only a lower bound. */
  n: z.int(),
  b: z.boolean(),
})

export type Position = { group: string; sort: string; total: number; bounded: boolean }

/** What a cursor belongs to; one made for anything else is refused. */
export type CursorScope = { space: Space; operation: string; filters: Record<string, unknown> }

const TAG_BYTES = 16
const refused = () => malformed('invalid cursor', { code: 'invalid_cursor' })

export async function writeCursor(scope: CursorScope, at: Position): Promise<string> {
  const payload = JSON.stringify({
    v: 1,
    o: scope.operation,
    f: fingerprint(scope),
    k: [at.group, at.sort],
    n: at.total,
    b: at.bounded,
  })
  const tag = await tagOf(scope, payload)
  return `${Buffer.from(payload).toString('base64url')}.${tag.toString('base64url')}`
}

/** Throws one text for everything that is wrong with a cursor. */
export async function readCursor(scope: CursorScope, cursor: string): Promise<Position> {
  const [encoded = '', tag = '', ...rest] = cursor.split('.')
  const payload = Buffer.from(encoded, 'base64url').toString()
  // Base64 has several spellings of the same bytes; only the one we write counts.
  if (rest.length > 0 || Buffer.from(payload).toString('base64url') !== encoded) throw refused()
  const expected = await tagOf(scope, payload)
  const given = Buffer.from(tag, 'base64url')
  if (!sameBytes(given, expected) || given.toString('base64url') !== tag) throw refused()
  const { o, f, k, n, b } = Payload.parse(JSON.parse(payload))
  if (o !== scope.operation || f !== fingerprint(scope)) throw refused()
  return { group: k[0], sort: k[1], total: n, bounded: b }
}

const fingerprint = ({ filters }: CursorScope) => sha256Hex(canonicalJson(filters)).slice(0, 16)

async function tagOf({ space }: CursorScope, payload: string): Promise<Buffer> {
  const secret = await derivedKey('cursor/v1')
  return hmacSha256(secret, `cursor/v1\n${space.tenant_id}#${space.mode}\n${payload}`).subarray(0, TAG_BYTES)
}
