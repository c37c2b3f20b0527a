import { beforeEach, describe, expect, test } from 'vitest'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { replayDelivery } from '../../../../shared/deliver/webhooks/recover.ts'
import { rotated, rotateSecret, SECRETS_MAX } from '../../../../shared/deliver/webhooks/endpoints/rotate-secret.ts'
import { openParts } from '../../../../shared/deliver/webhooks/endpoints/sealed-parts.ts'
import {
  verifyServiceSignature,
  verifyStandardWebhook,
  verifyWebhookSignature,
} from '../../../../shared/deliver/webhooks/verify.ts'
import { handleBody, Service } from './service.ts'

const first = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const second = `whsec_${Buffer.alloc(32, 2).toString('base64')}`

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const rotate = (id: string, overlap_seconds: number, secret?: string) =>
  rotateSecret(it.ctx(), { id, secret, overlap_seconds })

/** Whether a receiver that holds this secret accepts what was sent last, by any of the schemes and by all of them alike. */
function accepts(secret: string): boolean {
  const { headers, body = '', at } = it.lastSent()
  const verdicts = [verifyWebhookSignature, verifyServiceSignature, verifyStandardWebhook].map((verify) =>
    verify({ headers, body }, secret, at / 1_000),
  )
  expect(new Set(verdicts).size).toBe(1)
  return verdicts.includes(true)
}

describe('while a rotation overlaps', () => {
  test('both secrets verify, the new one first', async () => {
    const { id } = await it.endpoint({ secret: first })
    await rotate(id, 3_600, second)

    await fanOut(it.ctx(), await it.event(1), 1)

    expect([accepts(first), accepts(second)]).toEqual([true, true])
    const { headers, body = '' } = it.lastSent()
    const { 'x-service-signature-previous': previous, ...without } = headers
    expect(previous).toMatch(/^sha256=/)
    expect(verifyServiceSignature({ headers: without, body }, first)).toBe(false)
  })

  test('the former secret stops when it ends', async () => {
    const { id } = await it.endpoint({ secret: first })
    const { secrets } = await rotate(id, 3_600, second)
    it.clock.moveTo(Date.parse(secrets[1]?.expires_at ?? ''))

    await fanOut(it.ctx(), await it.event(1), 1)

    expect([accepts(first), accepts(second)]).toEqual([false, true])
    expect(it.lastSent().headers).not.toHaveProperty('x-service-signature-previous')
  })

  test('a third secret joins, and a fourth is a conflict until the first one ended', async () => {
    const { id } = await it.endpoint({ secret: first })
    const { secrets } = await rotate(id, 60, second)
    const third = await rotate(id, 3_600)
    expect(third.secrets).toHaveLength(SECRETS_MAX)
    await fanOut(it.ctx(), await it.event(1), 1)
    expect([first, second, third.secret].map(accepts)).toEqual([true, true, true])

    await expect(rotate(id, 3_600)).rejects.toMatchObject({ kind: 'conflict' })
    it.clock.moveTo(Date.parse(secrets[1]?.expires_at ?? ''))
    const fourth = await rotate(id, 3_600)

    expect(fourth.secrets.map(({ hint }) => hint)).toEqual([
      fourth.secret.slice(-4),
      third.secret.slice(-4),
      second.slice(-4),
    ])
  })
})

test('without an overlap the former secret stops at once', async () => {
  const { id } = await it.endpoint({ secret: first })
  const { secrets } = await rotate(id, 0, second)

  await fanOut(it.ctx(), await it.event(1), 1)

  expect(secrets).toHaveLength(1)
  expect([accepts(first), accepts(second)]).toEqual([false, true])
})

test('a replay after the rotation is signed with the new secret', async () => {
  const { id } = await it.endpoint({ secret: first })
  await fanOut(it.ctx(), await it.event(1), 1)
  await rotate(id, 0, second)

  await replayDelivery(it.ctx(), { delivery_id: it.deliveries()[0]?.id ?? '' })
  await handleBody(JSON.stringify(it.queue[0]))

  expect(it.sent).toHaveLength(2)
  expect([accepts(first), accepts(second)]).toEqual([false, true])
})

test('secrets that have ended are stored no longer, header values are', async () => {
  const endpoint = await it.endpoint({ secret: first, headers: { authorization: 'x' } })
  await rotate(endpoint.id, 0, second)

  const { secrets, headers } = await openParts(await it.reread(endpoint))

  expect(Object.values(secrets)).toEqual([second])
  expect(headers).toEqual({ authorization: 'x' })
})

test('of two rotations at the same time one is a conflict', async () => {
  const { id } = await it.endpoint()

  const ends = await Promise.allSettled([rotate(id, 60), rotate(id, 60)])

  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('an overlap that already runs is neither lengthened nor cut short', () => {
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString()
  const secret = (id: string, expires_at?: string) => ({
    id,
    created_at: at(0),
    hint: id,
    ...(expires_at && { expires_at }),
  })

  const next = rotated([secret('b'), secret('a', at(500))], secret('c'), { now: 100_000, overlapMs: 60_000 })

  expect(next).toEqual([secret('c'), secret('b', at(160)), secret('a', at(500))])
})
