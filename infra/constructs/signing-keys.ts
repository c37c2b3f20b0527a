import { RemovalPolicy } from 'aws-cdk-lib'
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Options } from '../options.ts'

const SPECS = { p256: KeySpec.ECC_NIST_P256, ed25519: KeySpec.ECC_NIST_EDWARDS25519 }

/**
 * The keys for evidence checkpoints. The last one signs, the others are former keys. Names do not change when one is added.
 */
export const signingKeys = (scope: Construct, kinds: Options['evidenceKeys']): Key[] =>
  kinds.map(
    (kind, index) =>
      new Key(scope, index === 0 ? 'SignKey' : `SignKey${index + 1}`, {
        keySpec: SPECS[kind],
        keyUsage: KeyUsage.SIGN_VERIFY,
        description: 'Signs evidence checkpoints',
        removalPolicy: RemovalPolicy.RETAIN,
      }),
  )
