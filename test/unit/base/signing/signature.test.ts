import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import type { Envelope } from '../../../../shared/ledger/events/event.ts'
import { EVENT_SCHEMAS } from '../../../../shared/ledger/events/schemas.ts'
import {
  newSecret,
  secretHint,
  signBody,
  signDelivery,
  WebhookSecret,
} from '../../../../shared/base/signing/signature.ts'
import {
  verifyServiceSignature,
  verifyStandardWebhook,
  verifyWebhookSignature,
} from '../../../../shared/deliver/webhooks/verify.ts'

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const at = 1_795_300_000
const envelope: Envelope = {
  id: 'evt_1',
  type: 'action.approved',
  timestamp: '2026-11-20T22:37:00.123Z',
  tenant_id: 'ten_1',
  version: '2026-11-20',
  data: {
    action_id: 'send',
    action_type: 'email',
    agent_id: '',
    approval_method: 'manual',
    approved_by: 'Zoë',
    evidence_artifact_id: 'art_1',
    risk_tier: 'HARD',
  },
}
const sign = (secrets: [string, ...string[]] = [secret], time = at) =>
  signDelivery({ envelope, secrets, at: time, delivery_id: 'dlv_1', attempt: 3 })

describe('the published vector', () => {
  const v1 = 'd3aa3bade177b4baadb4192a74b8ba7e8889666512417c375e65f4ce5290c90c'

  test('holds for scheme A, in header and body', () => {
    const { body, headers } = sign()

    expect(headers['x-webhook-signature']).toBe(`t=${at},v1=${v1}`)
    expect(JSON.parse(body)).toEqual({ ...envelope, signature: `t=${at},v1=${v1}` })
    expect(Buffer.byteLength(body)).toBe(378)
  })

  test('holds for scheme B and Standard Webhooks', () => {
    const { headers } = sign()

    expect(headers['x-service-signature']).toBe(
      'sha256=84ad6ab1a51cb8c23f073b4316c971940871bdaa0183a12ba32d8eff9741f8a5',
    )
    expect(headers['webhook-signature']).toBe('v1,aCXGI9v92cn4S+yIaE7/jUqJtrV6I1PeT5F7AsI/uNI=')
  })

  test('is accepted by the library of Standard Webhooks', () => {
    vi.useFakeTimers({ now: at * 1_000 }) // the library reads the clock itself
    const { body, headers } = sign()

    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id: 'evt_1' })
    vi.useRealTimers()
  })
})

test('a delivery names event, delivery and attempt', () => {
  expect(sign().headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Countersign-Webhooks/1.0',
    'x-webhook-event': 'action.approved',
    'x-webhook-delivery': 'dlv_1',
    'x-webhook-attempt': '3',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(at),
  })
})

const verifiers = {
  'scheme A': verifyWebhookSignature,
  'scheme B': verifyServiceSignature,
  'Standard Webhooks': verifyStandardWebhook,
}

describe.each(Object.entries(verifiers))('the verifier of %s', (_, verify) => {
  test('accepts what was signed and nothing else', () => {
    const signed = sign()

    expect(verify(signed, secret, at)).toBe(true)
    expect(verify({ ...signed, body: signed.body.replace('Zoë', 'Zoe') }, secret, at)).toBe(false)
    expect(verify(signed, newSecret(randomBytes), at)).toBe(false)
    expect(verify({ body: signed.body, headers: {} }, secret, at)).toBe(false)
    expect(verify({ ...signed, body: 'no JSON' }, secret, at)).toBe(false)
  })

  test('accepts every example of the catalogue', () => {
    for (const { example } of Object.values(EVENT_SCHEMAS)) {
      expect(verify(signBody({ ...envelope, data: example }, envelope.id, [secret], at), secret, at)).toBe(true)
    }
  })

  test('accepts the former secret during a rotation', () => {
    const former = newSecret(randomBytes)

    expect(verify(sign([secret, former]), former, at)).toBe(true)
    expect(verify(sign([secret]), former, at)).toBe(false)
  })
})

test.each([
  ['scheme A', verifyWebhookSignature],
  ['Standard Webhooks', verifyStandardWebhook],
])('%s accepts 299 seconds of age and refuses 302, in both directions', (_, verify) => {
  for (const now of [at - 299, at + 299]) expect(verify(sign(), secret, now)).toBe(true)
  for (const now of [at - 302, at + 302]) expect(verify(sign(), secret, now)).toBe(false)
})

test('a forged time is refused by the schemes that carry one', () => {
  const { body, headers } = sign()
  const later = String(at + 10_000)
  const forged = {
    ...headers,
    'x-webhook-signature': headers['x-webhook-signature']?.replace(String(at), later),
    'webhook-timestamp': later,
  }

  expect(verifyWebhookSignature({ body, headers: forged }, secret, at + 10_000)).toBe(false)
  expect(verifyStandardWebhook({ body, headers: forged }, secret, at + 10_000)).toBe(false)
})

test('scheme B is what a plain HMAC of the raw body gives', () => {
  const { body, headers } = sign()

  expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
})

describe('a secret', () => {
  test('of our making obeys the rule and shows its last four characters only', () => {
    const made = newSecret(randomBytes)

    expect(WebhookSecret.safeParse(made).success).toBe(true)
    expect(secretHint(made)).toBe(made.slice(-4))
  })

  test.each([
    ['24 bytes', `whsec_${Buffer.alloc(24).toString('base64')}`, true],
    ['64 bytes', `whsec_${Buffer.alloc(64).toString('base64')}`, true],
    ['23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`, false],
    ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`, false],
    ['another prefix', `secret_${Buffer.alloc(32).toString('base64')}`, false],
    ['characters outside base64', `whsec_${'*'.repeat(44)}`, false],
    ['base64url', `whsec_${'-_'.repeat(22)}`, false],
    ['nothing', 'whsec_', false],
  ])('of %s is judged by the rule', (_, text, accepted) => {
    expect(WebhookSecret.safeParse(text).success).toBe(accepted)
  })
})
