import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb'
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention } from 'aws-cdk-lib/aws-s3'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'
import type { Options } from '../options.ts'
import { BUCKETS, KEYS_TABLE, TABLE } from '../topology.ts'
import { signingKeys } from './signing-keys.ts'

const RETAIN = { removalPolicy: RemovalPolicy.RETAIN }
const string = (name: string) => ({ name, type: AttributeType.STRING })

type Props = Pick<Options, 'objectLock' | 'evidenceKeys'>

/** Everything that must outlive the stack: tables, keys, buckets and secrets. All of it is retained. */
export class Storage extends Construct {
  /** Encrypts both tables. Every function may use it, but only through DynamoDB. */
  readonly tableKey = new Key(this, 'TableKey', { enableKeyRotation: true, description: 'Tables at rest', ...RETAIN })
  /** Wraps data keys. It differs from the table key, because every function may decrypt with that one. */
  readonly sealKey = new Key(this, 'SealKey', {
    enableKeyRotation: true,
    description: 'Data keys of tenants',
    ...RETAIN,
  })
  /** The keys for evidence checkpoints: the last one signs, the others are former keys. */
  readonly signKeys: readonly Key[]
  /** It differs from the checkpoint key, because a function that signs tokens must not be able to sign evidence. */
  readonly oauthKey = new Key(this, 'OauthKey', {
    keySpec: KeySpec.RSA_2048,
    keyUsage: KeyUsage.SIGN_VERIFY,
    description: 'Signs OAuth tokens',
    ...RETAIN,
  })
  readonly table = this.#mainTable()
  readonly keysTable = this.#wrappedKeysTable()
  readonly checkpoints: Bucket
  readonly files = this.#filesBucket()
  readonly secret = this.#deploymentSecret()
  /** It differs from the deployment's secret, because more functions leave evidence than may derive keys. */
  readonly evidenceSecret = this.#evidenceSecret()
  readonly providersSecret = this.#providersSecret()

  constructor(scope: Construct, id: string, { objectLock, evidenceKeys }: Props) {
    super(scope, id)
    this.signKeys = signingKeys(this, evidenceKeys)
    this.checkpoints = this.#lockedBucket(objectLock)
  }

  #tableProps(): Omit<TableProps, 'partitionKey'> {
    return {
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.tableKey,
      deletionProtection: true,
      ...RETAIN,
    }
  }

  #mainTable(): Table {
    const table = new Table(this, 'Table', {
      ...this.#tableProps(),
      partitionKey: string(TABLE.partitionKey),
      sortKey: string(TABLE.sortKey),
      timeToLiveAttribute: TABLE.ttl,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    })
    for (const index of TABLE.indexes) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: string(index.partitionKey),
        sortKey: string(index.sortKey),
        projectionType: ProjectionType[TABLE.projection],
      })
    }
    return table
  }

  #wrappedKeysTable(): Table {
    const table = new Table(this, 'KeysTable', {
      ...this.#tableProps(),
      partitionKey: string(KEYS_TABLE.partitionKey),
      sortKey: string(KEYS_TABLE.sortKey),
    })
    acknowledge(table, {
      'AwsSolutions-DDB3': 'A wrapped key that was deleted to erase data must not come back from a backup.',
    })
    return table
  }

  #lockedBucket(objectLock: Props['objectLock']): Bucket {
    const days = Duration.days(BUCKETS.evidence.objectLockDays)
    const bucket = new Bucket(this, 'Checkpoints', {
      versioned: true,
      objectLockEnabled: true,
      objectLockDefaultRetention: ObjectLockRetention[objectLock](days),
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      ...RETAIN,
    })
    acknowledge(bucket, {
      'AwsSolutions-S1':
        'Holds signed checkpoints without payloads, written by one role; CloudTrail records who reads.',
    })
    return bucket
  }

  /** Without versions, so that erased data is gone. */
  #filesBucket(): Bucket {
    const bucket = new Bucket(this, 'Files', {
      lifecycleRules: [{ prefix: BUCKETS.files.made, expiration: Duration.days(BUCKETS.files.madeDeletedAfterDays) }],
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      ...RETAIN,
    })
    acknowledge(bucket, {
      'AwsSolutions-S1': 'Every file is recorded as evidence when it is made; CloudTrail records who reads.',
    })
    return bucket
  }

  /** `root` is the source of all derived keys. It is generated once and never appears in a template. */
  #deploymentSecret(): Secret {
    const secret = new Secret(this, 'Secret', {
      description: 'Root of derived keys and of the pepper of API keys',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'root',
        passwordLength: 64,
        excludePunctuation: true,
      },
      ...RETAIN,
    })
    acknowledge(secret, {
      'AwsSolutions-SMG4':
        'A new root would make every API key invalid at once; peppers are rotated beside it instead.',
    })
    return secret
  }

  #evidenceSecret(): Secret {
    const secret = new Secret(this, 'EvidenceSecret', {
      description: 'Attests what goes into the evidence chains',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'key',
        passwordLength: 64,
        excludePunctuation: true,
      },
      ...RETAIN,
    })
    acknowledge(secret, {
      'AwsSolutions-SMG4':
        'What it attests is checked within seconds; whoever changes it keeps the former key beside it.',
    })
    return secret
  }

  /** Empty at first; the operator fills it. A deployment never overwrites it. */
  #providersSecret(): Secret {
    const secret = new Secret(this, 'ProvidersSecret', {
      description: 'Secrets of the providers that the operator has accounts with',
      secretObjectValue: {},
      ...RETAIN,
    })
    acknowledge(secret, { 'AwsSolutions-SMG4': 'The providers issue these secrets; they are rotated there.' })
    return secret
  }
}
