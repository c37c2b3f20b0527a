// Verifies a delivery for a receiver, with one function per signature scheme. Each compares in constant time and, where the
// scheme carries a time, refuses a delivery that is five minutes off. None removes duplicates: the receiver stores the ids.
import { hmacSha256, sameBytes } from '../../base/lib/json.ts'
import { secretBytes } from '../../base/signing/signature.ts'
import { EVENT_TYPES } from '../../base/catalog/event-types.ts'

const TOLERANCE_SECONDS = 300

/** A delivery as received: header names in lower case, and the body's bytes untouched. */
export type Received = { headers: Readonly<Record<string, string | undefined>>; body: string }

/** `X-Webhook-Signature`: over the time and the raw body without its member `signature`. `now` in Unix seconds. */
export function verifyWebhookSignature({ headers, body }: Received, secret: string, now: number): boolean {
  const parts = (headers['x-webhook-signature'] ?? '').split(',')
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  const unsigned = withoutSignature(body)
  if (unsigned === undefined || !isRecent(time, now)) return false
  const expected = Buffer.from(`v1=${hmacSha256(secret, `${time}.${unsigned}`).toString('hex')}`)
  return parts.some((part) => sameBytes(Buffer.from(part), expected))
}

/** `X-Service-Signature`, or during a rotation `X-Service-Signature-Previous`: over the raw body. Carries no time. */
export function verifyServiceSignature({ headers, body }: Received, secret: string): boolean {
  const expected = Buffer.from(`sha256=${hmacSha256(secret, body).toString('hex')}`)
  const { 'x-service-signature': current = '', 'x-service-signature-previous': previous = '' } = headers
  return [current, ...previous.split(',')].some((one) => sameBytes(Buffer.from(one), expected))
}

/** `webhook-signature` of Standard Webhooks 1.0: over id, time and raw body. `now` in Unix seconds. */
export function verifyStandardWebhook({ headers, body }: Received, secret: string, now: number): boolean {
  const time = headers['webhook-timestamp'] ?? ''
  const signed = `${headers['webhook-id']}.${time}.${body}`
  const expected = Buffer.from(`v1,${hmacSha256(secretBytes(secret), signed).toString('base64')}`)
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  return isRecent(time, now) && signatures.some((one) => sameBytes(Buffer.from(one), expected))
}

const MEMBER = ',"signature":"'

/**
 * The bytes that were signed: the body without its last member `signature`. Nothing is serialised again, so numbers, escapes
 * and the order of members need no care. Undefined when the body has no such member.
 */
function withoutSignature(body: string): string | undefined {
  const from = body.lastIndexOf(MEMBER)
  const to = body.indexOf('"', from + MEMBER.length)
  return from < 0 || to < 0 ? undefined : body.slice(0, from) + body.slice(to + 1)
}

const isRecent = (time: string, now: number) => /^\d+$/.test(time) && Math.abs(now - Number(time)) <= TOLERANCE_SECONDS

/**
 * Replaces patterns such as `action.*` by the event types of the catalogue, because a subscription names types exactly, or `*`
 * for all. Throws on a pattern that matches no type.
 */
export function expandTypes(patterns: readonly string[]): string[] {
  const trimmed = patterns.map((pattern) => pattern.trim())
  return trimmed.includes('*') ? ['*'] : [...new Set(trimmed.flatMap(typesOf))]
}

function typesOf(pattern: string): string[] {
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined
  const found = EVENT_TYPES.filter((type) => (prefix === undefined ? type === pattern : type.startsWith(prefix)))
  if (found.length === 0) throw new Error(`${pattern} matches no event type`)
  return found
}
