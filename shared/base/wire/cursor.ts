// Signed positions in a list, bound to the tenant. Without a signature a client could choose any start key.
import * as z from 'zod'
import { derivedKey, formerKey } from '../aws/deployment-secret.ts'
import { currentRuntime, type Space } from '../context.ts'
import { canonicalJson, hmacSha256, sameBytes, sha256Hex } from '../lib/json.ts'
import { malformed } from '../lib/failure.ts'

const Payload = z.strictObject({
  v: z.literal(1),
  /** Operation. */
  o: z.string(),
  /** First 16 hex digits of the hash of the filters and path values. */
  f: z.string(),
  /** The partition group and the last sort key that was read. */
  k: z.tuple([z.string(), z.string()]),
  /** Total of the first page, and whether it is only a lower bound. */
  n: z.int(),
  b: z.boolean(),
})

export type Position = { group: string; sort: string; total: number; bounded: boolean }

/** A cursor is valid only for the scope that it was made for. */
export type CursorScope = { space: Space; operation: string; filters: Record<string, unknown> }

const TAG_BYTES = 16
const refused = () =>
  malformed('The cursor is not valid for this list. Start again without a cursor.', { code: 'invalid_cursor' })

export async function writeCursor(scope: CursorScope, at: Position): Promise<string> {
  const payload = JSON.stringify({
    v: 1,
    o: scope.operation,
    f: fingerprint(scope),
    k: [at.group, at.sort],
    n: at.total,
    b: at.bounded,
  })
  const tag = tagOf(await derivedKey(PURPOSE), scope, payload)
  return `${Buffer.from(payload).toString('base64url')}.${tag.toString('base64url')}`
}

/** Throws the same failure for any fault of a cursor. */
export async function readCursor(scope: CursorScope, cursor: string): Promise<Position> {
  const [encoded = '', tag = '', ...rest] = cursor.split('.')
  const payload = Buffer.from(encoded, 'base64url').toString()
  // Base64 has several spellings of the same bytes; only the one that we write is accepted.
  if (rest.length > 0 || Buffer.from(payload).toString('base64url') !== encoded) throw refused()
  const given = Buffer.from(tag, 'base64url')
  if (given.toString('base64url') !== tag || !(await isOurs(given, scope, payload))) throw refused()
  const { o, f, k, n, b } = Payload.parse(JSON.parse(payload))
  if (o !== scope.operation || f !== fingerprint(scope)) throw refused()
  return { group: k[0], sort: k[1], total: n, bounded: b }
}

const fingerprint = ({ filters }: CursorScope) => sha256Hex(canonicalJson(filters)).slice(0, 16)

const PURPOSE = 'cursor/v1'

const tagOf = (secret: Uint8Array, { space }: CursorScope, payload: string): Buffer =>
  hmacSha256(secret, `${PURPOSE}\n${space.tenant_id}#${space.mode}\n${payload}`).subarray(0, TAG_BYTES)

/** Accepts the former key, too, so a change of the deployment's secret does not interrupt a reader. */
async function isOurs(given: Buffer, scope: CursorScope, payload: string): Promise<boolean> {
  if (sameBytes(given, tagOf(await derivedKey(PURPOSE), scope, payload))) return true
  const former = await formerKey(PURPOSE, currentRuntime().clock.now())
  return former !== undefined && sameBytes(given, tagOf(former, scope, payload))
}
