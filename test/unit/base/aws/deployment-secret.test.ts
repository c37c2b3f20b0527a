import { beforeEach, describe, expect, test } from 'vitest'
import { deploymentSecret, derivedKey } from '../../../../shared/base/aws/deployment-secret.ts'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { intercept } from '../../../support/intercept.ts'

Object.assign(process.env, { SECRET_ID: 's', AWS_REGION: 'm', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' })

const root = Buffer.alloc(32, 7).toString('base64')
const pepperOf = (letter: string) => ({ id: letter, value: letter.repeat(32) })

let reads = 0
let answer: () => object
beforeEach(() => {
  reads = 0
  answer = () => ({ root })
  coldStart()
  resetClients([
    (client) =>
      intercept(client, async () => {
        reads += 1
        return { SecretString: JSON.stringify(answer()) }
      }),
  ])
})

const set = (secret: object) => {
  answer = () => secret
  coldStart()
}

test('the secret is read once per container, also by those who ask at once', async () => {
  await Promise.all([deploymentSecret(), deploymentSecret(), derivedKey('x')])
  await deploymentSecret()

  expect(reads).toBe(1)
})

test('a read that failed is tried again by the next', async () => {
  answer = () => {
    throw new Error('down')
  }
  await expect(deploymentSecret()).rejects.toThrow('down')
  answer = () => ({ root })

  await expect(deploymentSecret()).resolves.toMatchObject({ root })
})

test.each([{}, { root: 'short' }, { root, pepper: { id: 'p', value: 'short' } }])('%j is no secret', async (secret) => {
  set(secret)

  await expect(deploymentSecret()).rejects.toThrow()
})

describe('the pepper', () => {
  test('is derived from the root until it is rotated, and then remains the one before', async () => {
    const { pepper: first, previous_pepper } = await deploymentSecret()
    expect(first.value).toMatch(/^[\da-f]{64}$/)
    expect(previous_pepper).toBeUndefined()

    set({ root, pepper: pepperOf('b') })
    expect(await deploymentSecret()).toMatchObject({ pepper: pepperOf('b'), previous_pepper: first })
    set({ root, pepper: pepperOf('c'), previous_pepper: pepperOf('b') })
    expect(await deploymentSecret()).toMatchObject({ pepper: pepperOf('c'), previous_pepper: pepperOf('b') })
  })

  test('is another one for another root', async () => {
    const { pepper } = await deploymentSecret()
    set({ root: Buffer.alloc(32, 8).toString('base64') })

    expect((await deploymentSecret()).pepper.value).not.toBe(pepper.value)
  })
})

test('derived keys differ by purpose, and stay the same', async () => {
  const [one, other, again] = [await derivedKey('a'), await derivedKey('b'), await derivedKey('a')]

  expect(one).toHaveLength(32)
  expect(one).toEqual(again)
  expect(one).not.toEqual(other)
})
