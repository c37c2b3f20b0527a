import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecrets, SECRET_ID } from '../../../infra/local/secrets.ts'
import { type StandIns, startStandIns } from '../../support/stand-ins.ts'

let standIns: StandIns
let client: SecretsManagerClient

beforeAll(async () => {
  standIns = await startStandIns()
  standIns.serve(createSecrets(standIns.disk))
  client = new SecretsManagerClient(standIns.client)
})
afterAll(() => standIns.stop())

const read = (over: object = {}) => client.send(new GetSecretValueCommand({ SecretId: SECRET_ID, ...over }))

test('the deployment secret holds a pepper and a root of 32 bytes, and stays the same after a restart', async () => {
  const before = await read()
  standIns.serve(createSecrets(standIns.disk))
  const after = await read()

  const { pepper, root } = JSON.parse(before.SecretString ?? '')
  expect([pepper.value, root].map((text) => Buffer.from(text, 'base64').length)).toEqual([32, 32])
  expect(after.SecretString).toBe(before.SecretString)
})

test('other secrets and former versions are not found', async () => {
  await expect(read({ SecretId: 'other' })).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  await expect(read({ VersionStage: 'AWSPREVIOUS' })).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
})
