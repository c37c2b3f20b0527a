import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { API_VERSION } from '../../../../shared/base/catalog/event-types.ts'
import type { Envelope } from '../../../../shared/ledger/events/event.ts'
import { type SignedBody, signDelivery } from '../../../../shared/base/signing/signature.ts'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const former = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const at = 1_795_300_000
const envelope: Envelope = {
  id: 'evt_1',
  type: 'action.approved',
  timestamp: '2026-11-20T22:37:00.123Z',
  tenant_id: 'ten_1',
  version: API_VERSION,
  data: {
    action_id: 'send',
    action_type: 'email',
    agent_id: '',
    approval_method: 'manual',
    approved_by: 'Zoë 😀 <"\\/\u007f>',
    evidence_artifact_id: 'art_1',
    risk_tier: 'HARD',
  },
}

const signed = signDelivery({ envelope, secrets: [secret, former], at, delivery_id: 'dlv_1', attempt: 0 })

/** What the three functions of the example say of a delivery. */
const PROGRAM = `
import json, sys
from verify import *
headers, body, secret, now = json.load(sys.stdin)
body = body.encode()
print(json.dumps([
    verify_webhook_signature(headers, body, secret, now),
    verify_service_signature(headers, body, secret),
    verify_standard_webhook(headers, body, secret, now),
]))`

const python = (...args: string[]) => ({
  run: (input: string) => spawnSync('python3', ['-B', ...args], { cwd: import.meta.dirname, input, encoding: 'utf8' }),
})

function verdicts({ headers, body }: SignedBody, key = secret, now = at): boolean[] {
  const { stdout, stderr } = python('-c', PROGRAM).run(JSON.stringify([headers, body, key, now]))
  if (stderr) throw new Error(stderr)
  return JSON.parse(stdout)
}

const hasPython = python('--version').run('').status === 0

describe.skipIf(!hasPython)('the Python example (skipped where there is no python3)', () => {
  test('accepts a delivery in every scheme, with letters of any alphabet', () => {
    expect(verdicts(signed)).toEqual([true, true, true])
  })

  test('accepts numbers, separators and names that serialisers write differently', () => {
    const data = {
      tiny: 1e-7,
      huge: 1e21,
      separators: '\u2028\u2029',
      '😀': 1,
      '\ufb01': 2,
      signature: 't=1,v1=00',
      z: [{ a: 1, signature: 'x' }],
    }
    const odd = { ...envelope, data: data as unknown as Envelope['data'] } // members that no event of today has
    const delivery = signDelivery({ envelope: odd, secrets: [secret, former], at, delivery_id: 'dlv_1', attempt: 0 })

    expect(verdicts(delivery)).toEqual([true, true, true])
    expect(verdicts(delivery, former)).toEqual([true, true, true])
    expect(verdicts({ ...delivery, body: delivery.body.replace('"t=1,v1=00"', '"t=2,v1=00"') })).toEqual([
      false,
      false,
      false,
    ])
  })

  test('accepts it with the former secret while a rotation overlaps', () => {
    expect(verdicts(signed, former)).toEqual([true, true, true])
  })

  test('refuses a foreign secret', () => {
    expect(verdicts(signed, `whsec_${Buffer.alloc(32, 3).toString('base64')}`)).toEqual([false, false, false])
  })

  test('refuses a changed body', () => {
    const body = signed.body.replace('"HARD"', '"AUTO"')

    expect(verdicts({ ...signed, body })).toEqual([false, false, false])
  })

  test('refuses what is no JSON or no object', () => {
    expect(verdicts({ ...signed, body: '{' })).toEqual([false, false, false])
    expect(verdicts({ ...signed, body: '[1]' })).toEqual([false, false, false])
    expect(verdicts({ ...signed, body: '{"a":"\\ud800"}' })).toEqual([false, false, false])
  })

  test.each([
    [299, true],
    [-299, true],
    [302, false],
    [-302, false],
  ])('judges a delivery %i seconds old: %s', (age, accepted) => {
    expect(verdicts(signed, secret, at + age)).toEqual([accepted, true, accepted])
  })

  test('refuses a delivery without signatures', () => {
    expect(verdicts({ ...signed, headers: {} })).toEqual([false, false, false])
  })
})
