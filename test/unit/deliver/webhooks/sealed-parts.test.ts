import { beforeEach, expect, test } from 'vitest'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { openParts, sealParts, validSecrets } from '../../../../shared/deliver/webhooks/endpoints/sealed-parts.ts'
import { Service, space } from './service.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

test('secrets and header values open only at the endpoint they were sealed for', async () => {
  const parts = { secrets: { whs_1: 'whsec_a' }, headers: { authorization: 'Bearer x' } }
  const endpoint = await it.endpoint()
  const sealed = await sealParts(endpoint, parts)

  expect(Buffer.from(sealed).includes('Bearer x')).toBe(false)
  expect(await openParts({ ...endpoint, sealed })).toEqual(parts)
  await expect(openParts({ ...endpoint, id: 'whe_other', sealed })).rejects.toThrow(Error)
})

test('a former secret signs until its overlap ends, and the current one comes first', async () => {
  const now = it.clock.now()
  const created_at = iso(now)
  const endpoint = {
    ...(await it.endpoint()),
    secrets: [
      { id: 'former', created_at, hint: 'aaaa', expires_at: iso(now + 1_000) },
      { id: 'current', created_at, hint: 'bbbb' },
    ],
  }
  const parts = { secrets: { former: 'whsec_old', current: 'whsec_new' }, headers: {} }

  expect(validSecrets(endpoint, parts, now + 999)).toEqual(['whsec_new', 'whsec_old'])
  expect(validSecrets(endpoint, parts, now + 1_000)).toEqual(['whsec_new'])
})

test('the same endpoint of the other mode has another key', async () => {
  const endpoint = await it.endpoint()

  await expect(openParts({ ...endpoint, mode: 'test' })).rejects.toThrow(Error)
  expect(endpoint).toMatchObject(space)
})
