import { expect, test } from 'vitest'
import { SLICE, synthesise } from './support/assembly.ts'
import { asArray, asObject } from './support/resolve.ts'

const HERE = '<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity'

/** What the worker may send from. */
function identities(context: Record<string, unknown>): unknown[] {
  const role = synthesise(SLICE, context)
    .all('AWS::IAM::Role')
    .find(({ path }) => path.includes('send-mailRole'))
  return asArray(role?.properties.Policies)
    .flatMap((policy) => asArray(asObject(asObject(policy).PolicyDocument).Statement))
    .map(asObject)
    .filter(({ Action }) => Action === 'ses:SendEmail')
    .flatMap(({ Resource }) => Resource)
}

test('mails leave from the sender and its domain, and without a sender from nowhere', () => {
  const both = [`arn:${HERE}/no-reply@acme.example`, `arn:${HERE}/acme.example`]

  expect(identities({ mailFrom: 'no-reply@acme.example' })).toEqual(both)
  expect(identities({ mailFrom: 'Acme <no-reply@acme.example>' })).toEqual(both)
  expect(identities({ mailFrom: undefined })).toEqual([])
})

test('what waits to be sent, or could not be, is encrypted under a KMS key', () => {
  const queues = synthesise(SLICE)
    .all('AWS::SQS::Queue')
    .filter(({ path }) => /\/mail(-dlq)?\//.test(path))

  expect(queues.map(({ properties }) => properties.KmsMasterKeyId)).toEqual(['alias/aws/sqs', 'alias/aws/sqs'])
})
