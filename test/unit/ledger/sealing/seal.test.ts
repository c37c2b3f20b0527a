import { beforeEach, describe, expect, test } from 'vitest'
import {
  findDataKey,
  openBytes,
  openPayload,
  sealBytes,
  sealPayload,
  textSeal,
} from '../../../../shared/ledger/sealing/seal.ts'
import { hex, payloadCommitment } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { keyIdOf } from '../../../../shared/ledger/sealing/seal-format.ts'
import type { Space } from '../../../../shared/base/context.ts'
import { SPACE, world, type World } from '../evidence/world.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'

const at = { pk: 'T#ten_1#live#EXEC#exe_1', sk: 'EXEC' }
const payload = { to: 'a@example.com', amount: 12.5 }
const SANDBOX: Space = { ...SPACE, mode: 'test' }
const FIVE_MINUTES = 300_000

let it: World
beforeEach(() => {
  it = world()
})

const erase = (name: string) =>
  it.table.tamper('keys', { pk: `${SPACE.tenant_id}#live`, sk: name }, ({ wrapped: _wrapped, ...item }) => item)

describe('a sealed payload', () => {
  test('opens to the payload and the salt that its commitment covers', async () => {
    const { sealed, commitment } = await sealPayload(SPACE, at, 'payload', payload)
    const opened = await openPayload(SPACE, at, 'payload', sealed)

    expect(opened.payload).toEqual(payload)
    expect(hex(payloadCommitment(opened.salt, opened.payload))).toBe(commitment)
  })

  test('has another commitment each time, so that it cannot be guessed', async () => {
    const first = await sealPayload(SPACE, at, 'payload', payload)
    const second = await sealPayload(SPACE, at, 'payload', payload)

    expect(first.commitment).not.toBe(second.commitment)
  })

  test('does not open in another mode or tenant', async () => {
    const { sealed } = await sealPayload(SPACE, at, 'payload', payload)
    await sealPayload(SANDBOX, at, 'payload', payload)

    await expect(openPayload(SANDBOX, at, 'payload', sealed)).rejects.toThrow(
      'The payload was erased. Nobody can read it any more.',
    )
    await expect(openPayload({ ...SPACE, tenant_id: 'ten_2' }, at, 'payload', sealed)).rejects.toThrow(
      'The payload was erased. Nobody can read it any more.',
    )
  })

  test('survives the container that sealed it', async () => {
    const { sealed } = await sealPayload(SPACE, at, 'payload', payload)
    coldStart()

    expect((await openPayload(SPACE, at, 'payload', sealed)).payload).toEqual(payload)
  })
})

describe('data keys', () => {
  test('cost one KMS call per container and five minutes', async () => {
    await Promise.all(Array.from({ length: 5 }, () => sealBytes(SPACE, at, 'a', Buffer.from('x'))))
    expect(it.kms.calls).toBe(1)

    it.clock.moveTo(it.clock.now() + FIVE_MINUTES)
    await sealBytes(SPACE, at, 'a', Buffer.from('x'))
    await sealBytes(SPACE, at, 'a', Buffer.from('x'))
    expect(it.kms.calls).toBe(2)
  })

  test('made by two containers at once end as one', async () => {
    it.table.hooks.before = ({ name }) => {
      if (name === 'PutItem') coldStart()
    }
    const [first, second] = await Promise.all(
      [1, 2].map(async () => {
        coldStart()
        return sealBytes(SPACE, at, 'a', Buffer.from('x'))
      }),
    )

    expect(first && second && keyIdOf(first) === keyIdOf(second)).toBe(true)
  })

  test('are stored wrapped only', async () => {
    await sealBytes(SPACE, at, 'a', Buffer.from('x'))
    const [item] = it.table.items('keys')

    expect(Object.keys(item ?? {}).toSorted()).toEqual(['_type', 'cmk_arn', 'created_at', 'pk', 'sk', 'wrapped'])
    expect(item?.wrapped?.B?.length).toBeGreaterThan(32)
  })

  test('of a data subject are its own, and erasing one leaves the others', async () => {
    const options = { keyName: 'ab12' }
    const of = await sealBytes(SPACE, at, 'a', Buffer.from('subject'), options)
    const other = await sealBytes(SPACE, at, 'a', Buffer.from('other'))
    erase('ab12')
    it.clock.moveTo(it.clock.now() + FIVE_MINUTES)

    await expect(openBytes(SPACE, at, 'a', of)).rejects.toMatchObject({
      kind: 'conflict',
      detail: 'The payload was erased. Nobody can read it any more.',
    })
    expect((await openBytes(SPACE, at, 'a', other)).toString()).toBe('other')
  })

  test('made anew after an erasure do not bring back what was erased', async () => {
    const options = { keyName: 'ab12' }
    const old = await sealBytes(SPACE, at, 'a', Buffer.from('old'), options)
    erase('ab12')
    coldStart()
    const fresh = await sealBytes(SPACE, at, 'a', Buffer.from('new'), options)

    await expect(openBytes(SPACE, at, 'a', old)).rejects.toThrow('The payload was erased. Nobody can read it any more.')
    expect((await openBytes(SPACE, at, 'a', fresh)).toString()).toBe('new')
  })

  test('that do not exist are not remembered as missing', async () => {
    expect(await findDataKey(SPACE, 'default.00')).toBeUndefined()
    const sealed = await sealBytes(SPACE, at, 'a', Buffer.from('x'))

    expect((await openBytes(SPACE, at, 'a', sealed)).toString()).toBe('x')
  })
})

describe('without the tenant’s key', () => {
  test('sealing and opening answer unavailable, and never store plain text', async () => {
    const sealed = await sealBytes(SPACE, at, 'a', Buffer.from('x'))
    coldStart()
    it.kms.down = true

    await expect(openBytes(SPACE, at, 'a', sealed)).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(sealBytes(SANDBOX, at, 'a', Buffer.from('x'))).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('a cached key goes on for at most five minutes, and all works again when the key is back', async () => {
    const sealed = await sealBytes(SPACE, at, 'a', Buffer.from('x'))
    it.kms.down = true
    expect((await openBytes(SPACE, at, 'a', sealed)).toString()).toBe('x')

    it.clock.moveTo(it.clock.now() + FIVE_MINUTES)
    await expect(openBytes(SPACE, at, 'a', sealed)).rejects.toMatchObject({ kind: 'unavailable' })

    it.kms.down = false
    expect((await openBytes(SPACE, at, 'a', sealed)).toString()).toBe('x')
  })
})

test('texts are sealed into texts', async () => {
  const { seal, open } = textSeal('body')
  const sealed = await seal(SPACE, at, '{"key":"ak_live"}')

  expect(sealed).not.toContain('ak_live')
  expect(await open(SPACE, at, sealed)).toBe('{"key":"ak_live"}')
})
