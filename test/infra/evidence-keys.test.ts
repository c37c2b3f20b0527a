import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { Storage } from '../../infra/constructs/storage.ts'
import { newApp } from './support/assembly.ts'

/** Signing keys by logical id, and the ARN of each as the stack refers to it. */
function keysOf(evidenceKeys: ('p256' | 'ed25519')[]) {
  const stack = new Stack(newApp(), 'test')
  const { signKeys } = new Storage(stack, 'Storage', { objectLock: 'governance', evidenceKeys })
  const described = { Properties: { Description: 'Signs evidence checkpoints' } }
  const found = Template.fromStack(stack).findResources('AWS::KMS::Key', described)
  const specs = Object.entries(found).map(([id, { Properties }]) => [id, Properties.KeySpec])
  const order = signKeys.map(({ keyArn }) => stack.resolve(keyArn)['Fn::GetAtt'][0])
  return { specs: Object.fromEntries(specs), order, policies: Object.values(found).map((key) => key.DeletionPolicy) }
}

test('a key that is appended leaves those before it as they are', () => {
  const before = keysOf(['p256'])
  const after = keysOf(['p256', 'ed25519'])

  expect(after.specs).toMatchObject(before.specs)
  expect(after.order).toHaveLength(2)
  expect(after.order[0]).toBe(before.order[0])
  expect(after.specs[after.order[1]]).toBe('ECC_NIST_EDWARDS25519')
})

test('keys that signed are never deleted', () => {
  expect(keysOf(['p256', 'p256', 'p256']).policies).toEqual(['Retain', 'Retain', 'Retain'])
})
