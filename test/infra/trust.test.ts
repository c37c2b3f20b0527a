import { describe, expect, test } from 'vitest'
import { SLICE, synthesise } from './support/assembly.ts'
import { asArray, asObject, asText } from './support/resolve.ts'

const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'

describe('roles that services of AWS take', () => {
  const trusted = synthesise()
    .all('AWS::IAM::Role')
    .flatMap(({ path, properties }) =>
      asArray(asObject(properties.AssumeRolePolicyDocument).Statement).map((one) => ({ path, ...asObject(one) })),
    ) as { path: string; Principal: { Service: string }; Condition?: object }[]
  const of = (service: string) => trusted.filter(({ Principal }) => Principal.Service === `${service}.amazonaws.com`)

  test.each([
    ['apigateway', 3],
    ['states', 1],
    ['events', 1],
  ])('%s takes them for this account only, wherever it says for whom it acts', (service, count) => {
    const statements = of(service)

    expect(statements).toHaveLength(count)
    for (const { path, Condition } of statements) {
      expect(Condition, path).toMatchObject({ StringEqualsIfExists: { 'aws:SourceAccount': '<AWS::AccountId>' } })
    }
  })

  test('Step Functions and EventBridge for their own resources only', () => {
    const sources = ['states', 'events'].flatMap(of).map(({ Condition }) => JSON.stringify(Condition))

    expect(sources[0]).toContain('<AWS::AccountId>:stateMachine:*')
    expect(sources[1]).toContain('<AWS::AccountId>:rule/*')
  })

  test('are no others but those of functions', () => {
    expect(new Set(trusted.map(({ Principal }) => Principal.Service))).toEqual(
      new Set(['lambda', 'apigateway', 'states', 'events'].map((service) => `${service}.amazonaws.com`)),
    )
  })
})

describe('log groups', () => {
  const keysOf = (assembly: ReturnType<typeof synthesise>) =>
    new Set(assembly.all('AWS::Logs::LogGroup').map(({ properties }) => properties.KmsKeyId))

  test('are encrypted by CloudWatch itself unless a key is given', () => {
    expect(keysOf(synthesise(SLICE))).toEqual(new Set([undefined]))
  })

  test('are all encrypted with the key that is given', () => {
    expect(keysOf(synthesise(SLICE, { logKey: KEY }))).toEqual(new Set([KEY]))
  })

  test('are all encrypted with a key of their own, which only CloudWatch may use, for logs of this account', () => {
    const assembly = synthesise(SLICE, { logKey: 'own' })
    const [key] = assembly.all('AWS::KMS::Key').filter(({ path }) => path.includes('LogKey'))
    const statements = asArray(asObject(key?.properties.KeyPolicy).Statement).map(asObject)
    const logs = statements.find(({ Principal }) => asText(asObject(Principal).Service ?? '').startsWith('logs.'))

    expect(keysOf(assembly).has(undefined)).toBe(false)
    expect(keysOf(assembly).size).toBe(1)
    expect(JSON.stringify(logs?.Condition)).toContain('<AWS::AccountId>:log-group:*')
    expect(key?.properties.EnableKeyRotation).toBe(true)
  })
})

test('only the functions that issue tokens, and tell of logouts, may sign with their key', () => {
  const assembly = synthesise()
  const key = JSON.stringify(assembly.of('Storage/OauthKey', 'Arn'))
  const signing = assembly.all('AWS::IAM::Role').filter(({ properties }) =>
    asArray(properties.Policies)
      .flatMap((policy) => asArray(asObject(asObject(policy).PolicyDocument).Statement))
      .map(asObject)
      .some(
        ({ Action, Resource }) =>
          [Action].flat().includes('kms:Sign') && JSON.stringify([Resource].flat()).includes(key),
      ),
  )

  expect(signing.map(({ path }) => path)).toEqual([
    expect.stringContaining('tokenRole'),
    expect.stringContaining('tell-logoutsRole'),
  ])
})
