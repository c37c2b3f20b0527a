// Signs a webhook in all schemes at once: those of the API specification and Standard Webhooks 1.0. A receiver checks
// the one that it supports (`shared/deliver/webhooks/README.md`).
import type { Envelope } from '../../ledger/events/event.ts'
import { canonicalJson, hmacSha256 } from '../lib/json.ts'
import { secretBytes } from './secret.ts'

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
