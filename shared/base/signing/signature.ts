// Signs a webhook in all schemes at once: those of the API specification and Standard Webhooks 1.0. A receiver checks the one that it
// supports (`shared/deliver/webhooks/README.md`). Secrets have the form of Standard Webhooks: `whsec_` and base64.
import type { Envelope } from '../../ledger/events/event.ts'
import { canonicalJson, hmacSha256 } from '../lib/json.ts'
import * as z from 'zod'
import type { RandomBytes } from '../lib/ids.ts'

export type SignedBody = { body: string; headers: Record<string, string> }

/**
 * Body and signature headers of one attempt. `id` is the `webhook-id` of Standard Webhooks; `secrets` are the valid ones,
 * the current one first; `at` is the time of the attempt in Unix seconds, so each attempt has its own signature.
 */
export function signBody(
  message: Record<string, unknown>,
  id: string,
  secrets: readonly [string, ...string[]],
  at: number,
): SignedBody {
  const [current, ...former] = secrets
  const unsigned = canonicalJson(message)
  const signature = [`t=${at}`, ...secrets.map((secret) => `v1=${hex(secret, `${at}.${unsigned}`)}`)].join(',')
  const body = canonicalJson({ ...message, signature })
  const standard = secrets.map((secret) => `v1,${base64(secretBytes(secret), `${id}.${at}.${body}`)}`)
  return {
    body,
    headers: {
      'x-webhook-signature': signature,
      'x-service-signature': `sha256=${hex(current, body)}`,
      // The header above has one signature, so a receiver that still has a former secret checks this one.
      ...(former.length > 0 && {
        'x-service-signature-previous': former.map((secret) => `sha256=${hex(secret, body)}`).join(','),
      }),
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': standard.join(' '),
    },
  }
}

export type DeliveryToSign = {
  envelope: Envelope
  secrets: readonly [string, ...string[]]
  /** Unix seconds. */
  at: number
  delivery_id: string
  /** 0 to 7. */
  attempt: number
}

/** Body and headers of one attempt of a webhook delivery. */
export function signDelivery({ envelope, secrets, at, delivery_id, attempt }: DeliveryToSign): SignedBody {
  const { body, headers } = signBody(envelope, envelope.id, secrets, at)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Countersign-Webhooks/1.0',
      'accept-encoding': 'identity',
      ...headers,
      'x-webhook-event': envelope.type,
      'x-webhook-delivery': delivery_id,
      'x-webhook-attempt': String(attempt),
    },
  }
}

const hex = (key: string, text: string) => hmacSha256(key, text).toString('hex')
const base64 = (key: Uint8Array, text: string) => hmacSha256(key, text).toString('base64')

const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key bytes for Standard Webhooks. The two schemes of the API specification use the whole string instead. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** `whsec_` + base64 of 24 to 64 bytes. */
export const WebhookSecret = z
  .string()
  .refine(
    (text) =>
      text.startsWith(PREFIX) &&
      BASE64.test(text.slice(PREFIX.length)) &&
      secretBytes(text).length >= 24 &&
      secretBytes(text).length <= 64,
    'must be whsec_ followed by base64 of 24 to 64 bytes',
  )
  .meta({ pattern: `^whsec_${BASE64.source.slice(1)}`, minLength: 38, maxLength: 94 })

/** A new secret of 32 bytes. */
export const newSecret = (random: RandomBytes): string => PREFIX + Buffer.from(random(32)).toString('base64')

/** The part of a secret that may be shown after its creation. */
export const secretHint = (secret: string): string => secret.slice(-4)
