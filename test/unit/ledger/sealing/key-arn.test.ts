import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { mustBeKeyArn, partsOf } from '../../../../shared/ledger/sealing/rewrap.ts'
import { requiredStatement } from '../../../../shared/identity/kms/view.ts'

const ID = '1234abcd-12ab-34cd-56ef-1234567890ab'
const arn = (region = 'eu-west-1', key = `key/${ID}`) => `arn:aws:kms:${region}:111122223333:${key}`

beforeAll(() => {
  vi.stubEnv('REGION', 'eu-west-1')
  vi.stubEnv('SEAL_KEY_ID', 'arn:aws:kms:eu-west-1:999999999999:key/00000000-0000-0000-0000-000000000000')
})
afterAll(() => vi.unstubAllEnvs())

describe('the ARN of a key', () => {
  test.each([arn(), arn('eu-west-1', `key/mrk-${'a1'.repeat(16)}`)])('%s is taken', (text) => {
    expect(() => mustBeKeyArn(text)).not.toThrow()
  })

  test.each([
    ['an alias', arn('eu-west-1', 'alias/mine'), 'alias'],
    ['a key of another region', arn('us-east-1'), 'eu-west-1'],
    ['an id alone', ID, 'ARN'],
    ['another service', `arn:aws:s3:eu-west-1:111122223333:key/${ID}`, 'ARN'],
    ['every key', arn('eu-west-1', 'key/*'), 'ARN'],
    ['two lines', `${arn()}\n`, 'ARN'],
    ['nothing', '', 'ARN'],
    ['our own key', 'arn:aws:kms:eu-west-1:999999999999:key/00000000-0000-0000-0000-000000000000', 'null'],
  ])('%s is refused', (_, text, why) => {
    expect(() => mustBeKeyArn(text)).toThrow(why)
  })

  test('says account and key apart', () => {
    expect(partsOf(arn())).toEqual({ account: '111122223333', key: ID })
  })
})

test('the policy lets our roles use the key for one tenant, and look at it', () => {
  const [data, look] = requiredStatement('ten_1', 'arn:aws:iam::999999999999:role/countersign-*')

  expect(data).toMatchObject({
    Effect: 'Allow',
    Principal: { AWS: 'arn:aws:iam::999999999999:root' },
    Action: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
    Condition: {
      ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::999999999999:role/countersign-*' },
      StringEquals: { 'kms:EncryptionContext:tenant_id': 'ten_1' },
    },
  })
  expect(look).toMatchObject({ Action: ['kms:DescribeKey'], Condition: { ArnLike: expect.anything() } })
  expect(look?.Condition).not.toHaveProperty('StringEquals')
})
