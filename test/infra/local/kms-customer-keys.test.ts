import { statSync, writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  DecryptCommand,
  DescribeKeyCommand,
  GenerateDataKeyCommand,
  KMSClient,
  ReEncryptCommand,
} from '@aws-sdk/client-kms'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKms, type Kms } from '../../../infra/local/kms.ts'
import { CUSTOMER_KEYS_FILE } from '../../../infra/local/kms-customer-keys.ts'
import { type StandIns, startStandIns } from '../../support/stand-ins.ts'

let standIns: StandIns
let keys: Kms
let client: KMSClient
let file: string

beforeAll(async () => {
  standIns = await startStandIns()
  keys = createKms(standIns.disk)
  standIns.serve(keys.actions)
  client = new KMSClient(standIns.client)
  file = join(standIns.disk.directory, CUSTOMER_KEYS_FILE)
})
afterAll(() => standIns.stop())

const context = { tenant_id: 'ten_1', mode: 'live' }
const make = (KeyId: string) =>
  client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext: context }))
const describeKey = (KeyId: string) => client.send(new DescribeKeyCommand({ KeyId }))
const move = (CiphertextBlob: Uint8Array | undefined, to: string, over: object = {}) =>
  client.send(
    new ReEncryptCommand({
      CiphertextBlob,
      SourceEncryptionContext: context,
      DestinationKeyId: to,
      DestinationEncryptionContext: context,
      ...over,
    }),
  )

type Entry = { arn: string; state: string }
const entries = (): Entry[] => JSON.parse(readFileSync(file, 'utf8'))

describe('the file of keys', () => {
  test('holds one ready-made key, and nobody else may read it', () => {
    expect(entries()).toMatchObject([
      { arn: expect.stringMatching(/^arn:aws:kms:us-east-1:1{12}:key\//), state: 'Enabled' },
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('an empty entry becomes a further key, which stays the same', async () => {
    writeFileSync(file, JSON.stringify([...entries(), {}]))
    await expect(describeKey('arn:aws:kms:us-east-1:111111111111:key/none')).rejects.toMatchObject({
      name: 'NotFoundException',
    })

    const arn = entries().at(-1)?.arn ?? ''
    const { KeyMetadata } = await describeKey(arn)
    expect(KeyMetadata).toMatchObject({
      Arn: arn,
      KeyState: 'Enabled',
      KeyUsage: 'ENCRYPT_DECRYPT',
      KeySpec: 'SYMMETRIC_DEFAULT',
    })
  })

  test.each([
    ['Disabled', 'DisabledException'],
    ['Denied', 'AccessDeniedException'],
  ])('a key that is set to %s answers %s until it is Enabled again', async (state, name) => {
    const arn = keys.customers.add()
    const set = (to: string) =>
      writeFileSync(file, JSON.stringify(entries().map((one) => (one.arn === arn ? { ...one, state: to } : one))))
    set(state)
    await expect(make(arn)).rejects.toMatchObject({ name })

    set('Enabled')
    await expect(make(arn)).resolves.toBeDefined()
  })
})

describe('ReEncrypt', () => {
  test('moves a data key from one key to another without changing it', async () => {
    const arn = keys.customers.add()
    const { CiphertextBlob, Plaintext } = await make(keys.sealKeyId)

    const moved = await move(CiphertextBlob, arn, { SourceKeyId: keys.sealKeyId })

    expect(moved).toMatchObject({ KeyId: arn, SourceKeyId: keys.sealKeyId })
    const opened = await client.send(
      new DecryptCommand({ KeyId: arn, CiphertextBlob: moved.CiphertextBlob, EncryptionContext: context }),
    )
    expect(opened.Plaintext).toEqual(Plaintext)
  })

  test.each([
    ['another context', { SourceEncryptionContext: { tenant_id: 'ten_2' } }, 'InvalidCiphertextException'],
    ['another source key', { SourceKeyId: 'arn:aws:kms:us-east-1:111111111111:key/x' }, 'IncorrectKeyException'],
  ])('refuses %s', async (_, over, name) => {
    const { CiphertextBlob } = await make(keys.sealKeyId)

    await expect(move(CiphertextBlob, keys.customers.add(), over)).rejects.toMatchObject({ name })
  })
})
