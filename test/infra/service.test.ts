import { createRequire } from 'node:module'
import { afterAll, describe, expect, test } from 'vitest'
import { QUEUES, RULES, webhookRetries } from '../../infra/topology.ts'
import { synthesise } from './support/assembly.ts'
import { asArray, asObject, asText } from './support/resolve.ts'
import { openValidator } from './support/validator.ts'

const assembly = synthesise()
const [files, validator] = [[...assembly.texts.keys()], openValidator()]
afterAll(() => validator.close())

const one = (path: string) => {
  const found = assembly.all().find((resource) => resource.path === `countersign/${path}/Resource`)
  if (!found) throw new Error(`nothing at ${path}`)
  return found
}

const STATEFUL =
  /^AWS::(DynamoDB::Table|S3::Bucket|KMS::Key|SecretsManager::Secret|SQS::Queue|Events::EventBus|Cognito::UserPool(Client)?)$/

const STATEFUL_IDS = {
  StorageTableKeyCB154F04: 'AWS::KMS::Key',
  StorageSealKeyD9DED087: 'AWS::KMS::Key',
  StorageSignKey9EF6992E: 'AWS::KMS::Key',
  StorageTableB43FDCE7: 'AWS::DynamoDB::Table',
  StorageKeysTableADCF5159: 'AWS::DynamoDB::Table',
  StorageSecretAF41D9AB: 'AWS::SecretsManager::Secret',
  StorageProvidersSecret03824EE2: 'AWS::SecretsManager::Secret',
  StorageEvidenceSecretD8A04BA1: 'AWS::SecretsManager::Secret',
  StorageCheckpoints2CDBDF43: 'AWS::S3::Bucket',
  StorageFiles48C02C92: 'AWS::S3::Bucket',
  UserPoolDAD9161D: 'AWS::Cognito::UserPool',
  UserPoolService1105FF6E: 'AWS::Cognito::UserPoolClient',
  MessagingBus52612CDD: 'AWS::Events::EventBus',
  Messagingverifications5328FEB4: 'AWS::SQS::Queue',
  Messagingverificationsdlq557A287D: 'AWS::SQS::Queue',
  MessagingwebhookfanoutA8FA25E8: 'AWS::SQS::Queue',
  Messagingwebhookfanoutdlq6C1576A6: 'AWS::SQS::Queue',
  Messagingcheckpoints0A6B5FBD: 'AWS::SQS::Queue',
  Messagingcheckpointsdlq67EF5CEC: 'AWS::SQS::Queue',
  MessagingexportsC469532B: 'AWS::SQS::Queue',
  MessagingexportsdlqE030CC42: 'AWS::SQS::Queue',
  MessagingmailBEF1D6A7: 'AWS::SQS::Queue',
  Messagingmaildlq36FEAE1A: 'AWS::SQS::Queue',
  Messagingmeasure8284A31C: 'AWS::SQS::Queue',
  Messagingmeasuredlq9CD085DF: 'AWS::SQS::Queue',
  MessagingstepsC725B96B: 'AWS::SQS::Queue',
  Messagingstepsdlq92EA32C2: 'AWS::SQS::Queue',
  Messagingchecks7300FD2E: 'AWS::SQS::Queue',
  Messagingchecksdlq16097908: 'AWS::SQS::Queue',
  Messagingtraining525578F8: 'AWS::SQS::Queue',
  MessagingtrainingdlqCA0C9606: 'AWS::SQS::Queue',
  MessagingsyncsF57888E2: 'AWS::SQS::Queue',
  Messagingsyncsdlq780F3209: 'AWS::SQS::Queue',
  MessagingbillingB48D88C9: 'AWS::SQS::Queue',
  Messaginglogouts0C6FA162: 'AWS::SQS::Queue',
  Messaginglogoutsdlq28C703BC: 'AWS::SQS::Queue',
  MessagingbillingdlqC0451DA0: 'AWS::SQS::Queue',
  StorageOauthKeyDFF7E1C6: 'AWS::KMS::Key',
  MessagingUndeliveredDCAE3ED8: 'AWS::SQS::Queue',
  relayeventsFailuresE84421A1: 'AWS::SQS::Queue',
  sequenceevidenceFailuresBB1CD710: 'AWS::SQS::Queue',
}

describe('templates', () => {
  test.each(files)('%s has nothing that CloudFormation would refuse', (file) => {
    expect(validator.problems(assembly.texts.get(file) ?? '', file)).toEqual([])
  })

  test('the validator finds a broken template', () => {
    const broken = {
      Resources: { F: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs4.3', Role: { Ref: 'X' } } } },
    }

    expect(validator.problems(JSON.stringify(broken), 'broken').length).toBeGreaterThan(1)
  })

  test('every template stays below 450 resources and 800 KB', () => {
    for (const [file, { Resources }] of assembly.templates) {
      expect(Object.keys(Resources).length, file).toBeLessThanOrEqual(450)
      expect(Buffer.byteLength(assembly.texts.get(file) ?? ''), file).toBeLessThanOrEqual(800_000)
    }
  })
})

describe('what must outlive a deployment', () => {
  test('keeps its logical ids, or CloudFormation would replace it', () => {
    const stateful = assembly.all().filter(({ type }) => STATEFUL.test(type))

    expect(Object.fromEntries(stateful.map(({ id, type }) => [id, type]))).toEqual(STATEFUL_IDS)
  })

  test('is retained', () => {
    const kept = /^AWS::(DynamoDB::Table|S3::Bucket|KMS::Key|SecretsManager::Secret)$/
    for (const { Resources } of assembly.templates.values()) {
      for (const [id, resource] of Object.entries(Resources)) {
        if (kept.test(resource.Type))
          expect(resource, id).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
      }
    }
  })

  test('the table can be restored to any second, is locked against deletion and encrypted with its own key', () => {
    expect(one('Storage/Table').properties).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: assembly.of('Storage/TableKey', 'Arn') },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: '_ttl', Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    })
    expect(asArray(one('Storage/Table').properties.GlobalSecondaryIndexes)).toHaveLength(4)
  })

  test('wrapped keys lie where nothing keeps a copy of them', () => {
    const { properties } = one('Storage/KeysTable')

    expect(properties).toMatchObject({ DeletionProtectionEnabled: true })
    expect(properties.StreamSpecification).toBeUndefined()
    expect(properties.PointInTimeRecoverySpecification).toBeUndefined()
  })

  test('keys that encrypt rotate, the one that signs is a P-256 key', () => {
    for (const name of ['TableKey', 'SealKey']) expect(one(`Storage/${name}`).properties.EnableKeyRotation).toBe(true)
    expect(one('Storage/SignKey').properties).toMatchObject({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' })
  })

  test('checkpoints are versioned and locked for seven years', () => {
    expect(one('Storage/Checkpoints').properties).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 2_555 } } },
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    })
  })

  test('exports are deleted after a week, files never kept as versions, so that what is erased is gone', () => {
    const { properties } = one('Storage/Files')

    expect(properties).toMatchObject({
      LifecycleConfiguration: { Rules: [{ Prefix: 'exports/', ExpirationInDays: 7, Status: 'Enabled' }] },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    })
    expect(properties.VersioningConfiguration).toBeUndefined()
  })

  test('only one role may sign checkpoints, and only functions of the OAuth server and its logouts may sign tokens', () => {
    const signers = assembly
      .all('AWS::IAM::Role')
      .filter(({ properties }) => JSON.stringify(properties).includes('"kms:Sign"'))
      .map(({ path }) => path)
    const ofTokens = (path: string) => path.includes('/oauth/') || path.includes('/tell-logoutsRole/')
    const [tokens, others] = [signers.filter(ofTokens), signers.filter((path) => !ofTokens(path))]

    expect(others).toEqual(['countersign/workers/sign-checkpointRole/Resource'])
    expect(tokens.length).toBeGreaterThan(0)
  })

  test('the key for tokens is another than the one for checkpoints, and is not rotated behind their backs', () => {
    const { KeySpec, KeyUsage, EnableKeyRotation } = one('Storage/OauthKey').properties

    expect({ KeySpec, KeyUsage }).toEqual({ KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' })
    expect(EnableKeyRotation).toBeUndefined()
  })
})

const rule = (id: string) => one(`Messaging/${id}`).properties

describe('messages', () => {
  test('our own retry messages do not match the rule for webhooks', () => {
    expect(rule('EventsToFanout').EventPattern).toEqual({ source: [RULES['events-to-fanout'].source] })
    expect(rule('FailedDeliveryToRetries').EventPattern).toEqual({
      source: ['countersign.internal'],
      'detail-type': ['webhook.delivery.retry'],
    })
  })

  test('the bus may send to the queue, and only in the name of its rule', () => {
    const policy = assembly.all('AWS::SQS::QueuePolicy').find(({ path }) => path.includes('/webhook-fanout/'))
    const statements = asArray(asObject(policy?.properties.PolicyDocument).Statement)

    expect(statements).toContainEqual(
      expect.objectContaining({
        Action: expect.arrayContaining(['sqs:SendMessage']),
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': assembly.of('Messaging/EventsToFanout', 'Arn') } },
      }),
    )
  })

  test('queues have the names by which functions address them', () => {
    const named = assembly.all('AWS::SQS::Queue').flatMap(({ properties }) => properties.QueueName ?? [])

    const both = Object.keys(QUEUES).flatMap((name) => [`countersign-${name}`, `countersign-${name}-dlq`])
    expect(named.map(asText).toSorted()).toEqual(both.toSorted())
  })

  test('what a rule cannot hand on is kept, and every queue has its dead-letter queue', () => {
    for (const id of ['EventsToFanout', 'FailedDeliveryToRetries']) {
      expect(asObject(asArray(rule(id).Targets)[0]).DeadLetterConfig).toEqual({
        Arn: assembly.of('Messaging/Undelivered', 'Arn'),
      })
    }
    for (const name of ['webhook-fanout', 'checkpoints', 'verifications', 'exports']) {
      expect(asObject(one(`Messaging/${name}`).properties.RedrivePolicy).deadLetterTargetArn).toBe(
        assembly.of(`Messaging/${name}-dlq`, 'Arn'),
      )
    }
  })

  test('the state machine is the one of the topology, well-formed, started with the ids of one delivery', () => {
    const { DefinitionString, DefinitionSubstitutions, LoggingConfiguration } = one('Messaging/Retries').properties
    const definition: unknown = JSON.parse(asText(DefinitionString))
    const arns = asObject(DefinitionSubstitutions)
    const substituted = asText(DefinitionString).replaceAll(/\$\{(\w+)\}/g, (_, name: string) =>
      asText(arns[name]).replaceAll(/<AWS::\w+>/g, '1'),
    )

    expect(definition).toEqual(webhookRetries())
    expect(Object.keys(arns).toSorted()).toEqual(['FailWebhookArn', 'RetryWebhookArn'])
    expect(aslErrors(JSON.parse(substituted))).toEqual([])
    expect(LoggingConfiguration).toMatchObject({ Level: 'ERROR', IncludeExecutionData: false })
    expect(asArray(rule('FailedDeliveryToRetries').Targets)[0]).toMatchObject({ InputPath: '$.detail' })
  })

  test('the state machine may invoke exactly its two tasks', () => {
    const arns = Object.values(asObject(one('Messaging/Retries').properties.DefinitionSubstitutions))
    const policy = one('Messaging/RetriesRole/DefaultPolicy').properties
    const invokes = asArray(asObject(policy.PolicyDocument).Statement).map(asObject)

    expect(invokes.find(({ Action }) => Action === 'lambda:InvokeFunction')?.Resource).toEqual(arns)
  })

  test('a malformed state machine is noticed', () => {
    const { StartAt: _, ...states } = webhookRetries()

    expect(aslErrors(states)).not.toEqual([])
  })
})

/** Errors of asl-validator, a CommonJS package. */
function aslErrors(definition: unknown): unknown[] {
  const validate: (definition: unknown) => { errors: unknown[] } = createRequire(import.meta.url)('asl-validator')
  return validate(definition).errors
}
