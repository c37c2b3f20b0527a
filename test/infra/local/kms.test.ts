import { createPublicKey, hash, verify } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import {
  DecryptCommand,
  DescribeKeyCommand,
  GenerateDataKeyCommand,
  GetKeyRotationStatusCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKms, type Kms } from '../../../infra/local/kms.ts'
import { type StandIns, startStandIns } from '../../support/stand-ins.ts'

let standIns: StandIns
let keys: Kms
let client: KMSClient

beforeAll(async () => {
  standIns = await startStandIns()
  keys = createKms(standIns.disk)
  standIns.serve(keys.actions)
  client = new KMSClient(standIns.client)
})
afterAll(() => standIns.stop())

const EncryptionContext = { tenant_id: 'ten_1' }
const dataKey = (KeyId = keys.sealKeyId) =>
  client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext }))
const signature = (over: object = {}) =>
  client.send(
    new SignCommand({
      KeyId: keys.signKeyId,
      Message: Buffer.from('checkpoint'),
      MessageType: 'RAW',
      SigningAlgorithm: 'ECDSA_SHA_256',
      ...over,
    }),
  )

describe('sealing', () => {
  test('a data key opens again under the same context, whatever its order', async () => {
    const context = { a: '1', tenant_id: 'ten_1' }
    const made = await client.send(
      new GenerateDataKeyCommand({ KeyId: keys.sealKeyId, KeySpec: 'AES_256', EncryptionContext: context }),
    )

    const opened = await client.send(
      new DecryptCommand({ CiphertextBlob: made.CiphertextBlob, EncryptionContext: { tenant_id: 'ten_1', a: '1' } }),
    )

    expect(made.Plaintext).toHaveLength(32)
    expect(opened).toMatchObject({ Plaintext: made.Plaintext, KeyId: keys.sealKeyId })
  })

  test('a data key of one tenant does not open for another', async () => {
    const { CiphertextBlob } = await dataKey()

    const opening = client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: { tenant_id: 'ten_2' } }))

    await expect(opening).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
  })

  test('a changed ciphertext does not open', async () => {
    const { CiphertextBlob: intact = new Uint8Array() } = await dataKey()
    const CiphertextBlob = intact.with(intact.length - 1, (intact.at(-1) ?? 0) ^ 1)

    const opening = client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))

    await expect(opening).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
  })

  test('a disabled key neither seals nor opens until it is enabled again', async () => {
    const { CiphertextBlob } = await dataKey()

    keys.setEnabled(keys.sealKeyId, false)
    await expect(dataKey()).rejects.toMatchObject({ name: 'DisabledException' })
    await expect(client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).rejects.toMatchObject({
      name: 'DisabledException',
    })

    keys.setEnabled(keys.sealKeyId, true)
    await expect(dataKey()).resolves.toBeDefined()
  })

  test('an unknown key is told apart from a key of another use', async () => {
    await expect(dataKey('alias/none')).rejects.toMatchObject({ name: 'NotFoundException' })
    await expect(dataKey(keys.signKeyId)).rejects.toMatchObject({ name: 'InvalidKeyUsageException' })
  })
})

describe('signing', () => {
  test('the public key verifies the DER signature of a raw message', async () => {
    const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: keys.signKeyId }))
    const { Signature = new Uint8Array() } = await signature()

    const key = createPublicKey({ key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' })
    expect(verify('sha256', Buffer.from('checkpoint'), key, Signature)).toBe(true)
    expect(verify('sha256', Buffer.from('changed'), key, Signature)).toBe(false)
  })

  test.each([
    ['a digest', { MessageType: 'DIGEST' }],
    ['more than 4,096 bytes', { Message: Buffer.alloc(4_097) }],
    ['another algorithm', { SigningAlgorithm: 'RSASSA_PSS_SHA_256' }],
  ])('%s is refused', async (_, over) => {
    await expect(signature(over)).rejects.toMatchObject({ name: 'ValidationException' })
  })
})

describe('signing tokens', () => {
  const token = Buffer.from('header.payload')
  const signed = (over: object) =>
    client.send(
      new SignCommand({
        KeyId: keys.oauthKeyId,
        Message: token,
        SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
        ...over,
      }),
    )

  test('a message and its digest get the same signature, which the public key verifies', async () => {
    const { PublicKey, KeySpec } = await client.send(new GetPublicKeyCommand({ KeyId: keys.oauthKeyId }))
    const { Signature: raw } = await signed({ MessageType: 'RAW' })
    const { Signature: digest } = await signed({ MessageType: 'DIGEST', Message: hash('sha256', token, 'buffer') })

    const key = createPublicKey({ key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' })
    expect(KeySpec).toBe('RSA_2048')
    expect(digest).toEqual(raw)
    expect(verify('sha256', token, key, raw ?? new Uint8Array())).toBe(true)
  })

  test('a digest of another length is refused', async () => {
    await expect(signed({ MessageType: 'DIGEST' })).rejects.toMatchObject({ name: 'ValidationException' })
  })
})

test('keys survive a restart in a file that only its owner reads', async () => {
  const { CiphertextBlob, Plaintext } = await dataKey()

  const again = createKms(standIns.disk)

  expect([again.sealKeyId, again.signKeyId, again.oauthKeyId]).toEqual([
    keys.sealKeyId,
    keys.signKeyId,
    keys.oauthKeyId,
  ])
  expect(statSync(join(standIns.disk.directory, 'kms-keys.json')).mode & 0o777).toBe(0o600)
  const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: keys.signKeyId }))
  expect(KeyMetadata).toMatchObject({ Arn: keys.signKeyId, KeyState: 'Enabled', KeyUsage: 'SIGN_VERIFY' })
  expect((await client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).Plaintext).toEqual(Plaintext)
})

test('a key says whether it rotates by itself, and an asymmetric one cannot', async () => {
  const rotation = (KeyId: string) => client.send(new GetKeyRotationStatusCommand({ KeyId }))
  expect((await rotation(keys.sealKeyId)).KeyRotationEnabled).toBe(true)

  keys.setRotation(keys.sealKeyId, false)

  expect((await rotation(keys.sealKeyId)).KeyRotationEnabled).toBe(false)
  await expect(rotation(keys.signKeyId)).rejects.toMatchObject({ name: 'UnsupportedOperationException' })
})
