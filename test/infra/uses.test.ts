import { describe, expect, test } from 'vitest'
import { functionName, type Platform } from '../../infra/platform.ts'
import { eachQueue } from '../../infra/topology.ts'
import { environment, grants } from '../../infra/uses.ts'
import { area, get, type RouteOptions } from '../../shared/base/wire/route.ts'
import { workers } from '../../shared/base/wire/worker.ts'

const named = (name: string) => ({ name, arn: `arn:${name}` })
const queue = (name: string) => ({ ...named(name), deadLetters: named(`${name}-dlq`) })
const platform: Platform = {
  prefix: 'p',
  region: 'eu-west-1',
  dist: 'dist',
  table: { ...named('table'), streamArn: 'arn:stream', keyArn: 'arn:table-key' },
  keysTable: named('keys'),
  sealKeyArn: 'arn:seal-key',
  signKeyArn: 'arn:sign-key',
  formerSignKeyArns: [],
  oauthKeyArns: ['arn:oauth-key'],
  passkeys: { relyingParty: '', origins: '' },
  passwordRangeUrl: '',
  training: { image: '', roleArn: '', instance: '', bedrockRoleArn: '', prices: '' },
  pool: { id: 'pool', arn: 'arn:pool', clientId: 'client', issuer: 'https://pool' },
  mail: { from: 'a@b.example', arns: ['arn:identity'] },
  dnsServers: '192.0.2.1',
  roles: 'arn:roles',
  secretArn: 'arn:secret',
  evidenceSecretArn: 'arn:evidence-secret',
  providersSecretArn: 'arn:providers-secret',
  bus: named('bus'),
  queueBase: 'https://queues/p-',
  queues: eachQueue(queue),
  buckets: { evidence: named('evidence'), files: named('files') },
  webhookRules: { firstAttempt: 'immediate', failuresMax: 5, errorDays: 5 },
  baseUrl: 'https://api',
  appUrl: 'https://app',
  evidenceOrigin: 'api',
  trustedProxyHops: 0,
  corsOrigins: 'https://app',
}

const route = (options: Partial<RouteOptions>) =>
  area('sample', {
    get: get('/sample', {
      host: 'api',
      access: 'public',
      rate: 'none',
      uses: [],
      evidence: { none: 'a sample' },
      summary: '',
      ...options,
    }),
  }).get

const actions = (options: Partial<RouteOptions>) =>
  new Set(grants(route(options), platform).flatMap((grant) => grant.actions))

describe('grants', () => {
  test('who signs may use the keys before the present one, too, and others may only read them', () => {
    const rotated = { ...platform, formerSignKeyArns: ['arn:first-key', 'arn:former-key'] }
    const signs = grants(route({ uses: [{ sign: true }] }), rotated)
    const verifies = grants(route({ uses: [{ verifyKey: true }] }), rotated)

    expect(signs).toContainEqual({
      actions: ['kms:Sign', 'kms:GetPublicKey'],
      resources: ['arn:sign-key', 'arn:first-key', 'arn:former-key'],
    })
    expect(verifies.flatMap((grant) => grant.actions)).not.toContain('kms:Sign')
    expect(JSON.stringify(verifies)).toContain('arn:former-key')
    expect(environment(route({ uses: [{ sign: true }] }), rotated)).toMatchObject({
      FORMER_SIGN_KEY_IDS: 'arn:first-key,arn:former-key',
    })
  })

  test('a public route that nothing limits may do nothing', () => {
    expect(grants(route({}), platform)).toEqual([])
  })

  test('a route behind authentication reads the table and the secret, counts requests and notes the use of keys', () => {
    const all = grants(route({ access: 'protocol:read', rate: 'global' }), platform)

    expect(all).toContainEqual({ actions: ['secretsmanager:GetSecretValue'], resources: ['arn:secret'] })
    expect(all).toContainEqual({
      actions: ['dynamodb:Query', 'dynamodb:UpdateItem'],
      resources: ['arn:table'],
      conditions: {
        'ForAllValues:StringLike': {
          'dynamodb:LeadingKeys': [
            'T#*#RL',
            'RL#*',
            'APIKEY#*',
            'SESSION#*',
            'COUNTER#unknown_key_flood#*',
            'BLOCK#keys#*',
            'T#*#AUDIT#*',
            'T#*#TALLY',
          ],
        },
      },
    })
  })

  test('reading gives no right to write but those marks', () => {
    expect(actions({ uses: [{ table: 'read' }] })).toEqual(
      new Set(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'kms:Decrypt']),
    )
  })

  test('a function that is given some keys of the table reaches no others, and no index', () => {
    const all = grants(route({ uses: [{ table: 'write', only: ['EMAIL#*'] }] }), platform)
    const onTables = all.filter(({ actions: [first = ''] }) => first.startsWith('dynamodb:'))

    expect(onTables.map(({ resources, conditions }) => ({ resources, conditions }))).toEqual([
      {
        resources: ['arn:table'],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['EMAIL#*'] } },
      },
    ])
  })

  test('who counts files lists those of one space at a time, and reads none', () => {
    expect(grants(route({ uses: [{ bucket: 'files', access: 'list' }] }), platform)).toEqual([
      {
        actions: ['s3:ListBucket'],
        resources: ['arn:files'],
        conditions: { StringLike: { 's3:prefix': ['?*/?*/live/*', '?*/?*/test/*'] } },
      },
    ])
  })

  test('the key of the tables is usable through DynamoDB only', () => {
    const unlock = grants(route({ uses: [{ table: 'write' }] }), platform).filter(({ resources }) =>
      resources.includes('arn:table-key'),
    )

    expect(unlock).toEqual([
      {
        actions: ['kms:Decrypt'],
        resources: ['arn:table-key'],
        conditions: { StringEquals: { 'kms:ViaService': 'dynamodb.eu-west-1.amazonaws.com' } },
      },
    ])
  })

  test('data keys are made and opened only for a named tenant', () => {
    const sealing = grants(route({ uses: [{ seal: 'payload' }] }), platform)

    expect(sealing).toContainEqual({
      actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
      resources: ['arn:seal-key', 'arn:aws:kms:*:*:key/*'],
      conditions: { Null: { 'kms:EncryptionContext:tenant_id': 'false' } },
    })
  })

  test('only the management of keys looks at keys of tenants and moves data keys from one to another', () => {
    const managing = grants(route({ uses: [{ customerKeys: 'manage' }] }), platform)

    expect(managing).toContainEqual({
      actions: ['kms:ReEncryptFrom', 'kms:ReEncryptTo'],
      resources: ['arn:seal-key', 'arn:aws:kms:*:*:key/*'],
      conditions: { Null: { 'kms:EncryptionContext:tenant_id': 'false' } },
    })
    expect(actions({ uses: [{ seal: 'payload' }] })).not.toContain('kms:DescribeKey')
  })

  test('whoever asks how the deployment is set reads settings of three resources, and nothing that they hold', () => {
    expect(grants(route({ uses: [{ describe: 'deployment' }] }), platform)).toEqual([
      { actions: ['kms:DescribeKey', 'kms:GetKeyRotationStatus'], resources: ['arn:seal-key'] },
      { actions: ['dynamodb:DescribeContinuousBackups'], resources: ['arn:table'] },
      { actions: ['s3:GetBucketVersioning', 's3:GetBucketObjectLockConfiguration'], resources: ['arn:evidence'] },
    ])
  })

  test('mails leave from the configured identity alone, and without one no right is given', () => {
    const sending = route({ uses: [{ mail: 'send' }] })

    expect(grants(sending, platform)).toEqual([{ actions: ['ses:SendEmail'], resources: ['arn:identity'] }])
    expect(grants(sending, { ...platform, mail: { from: '', arns: [] } })).toEqual([])
  })

  test('whoever reads the public key cannot sign', () => {
    expect(actions({ uses: [{ verifyKey: true }] })).toEqual(new Set(['kms:GetPublicKey']))
  })

  test('equal statements are written once', () => {
    const all = grants(route({ uses: [{ table: 'write' }, { govern: true }, { table: 'read' }] }), platform)

    expect(new Set(all.map((grant) => JSON.stringify(grant))).size).toBe(all.length)
  })

  test('a worker gets what its row says and nothing of a request', () => {
    const { ring } = workers({
      ring: {
        trigger: { schedule: 'rate(1 minute)' },
        uses: [{ queue: 'checkpoints' }],
        evidence: { none: 'a sample' },
        timeoutSeconds: 1,
        impact: 'None.',
      },
    })

    expect(grants(ring, platform)).toEqual([{ actions: ['sqs:SendMessage'], resources: ['arn:checkpoints'] }])
  })
})

describe('environment', () => {
  test('holds addresses of what is used, and of nothing else', () => {
    const names = Object.keys(environment(route({ uses: [{ queue: 'checkpoints' }, { sign: true }] }), platform))

    expect(names).toEqual(expect.arrayContaining(['TABLE_NAME', 'BASE_URL', 'QUEUE_BASE', 'SIGN_KEY_ID']))
    expect(names).not.toContain('SECRET_ID')
    expect(names).not.toContain('BUS_NAME')
  })
})

describe('functionName', () => {
  test('refuses a name that Lambda would refuse', () => {
    expect(functionName('countersign', { id: 'protocol-execute' })).toBe('countersign-protocol-execute')
    expect(() => functionName('a'.repeat(25), { id: 'b'.repeat(40) })).toThrow('longer than 64')
  })
})
