import { describe, expect, test } from 'vitest'
import { functionName } from '../../infra/platform.ts'
import { SURFACE } from '../../infra/surface.ts'
import { workers } from '../../functions/workers.ts'
import { SLICE, synthesise } from './support/assembly.ts'
import { asArray, asObject, asText } from './support/resolve.ts'

const assembly = synthesise()
const [pool, ...others] = assembly.all('AWS::Cognito::UserPool')
const [client, ...otherClients] = assembly.all('AWS::Cognito::UserPoolClient')
const functionArn = (row: { id: string }) =>
  `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${functionName('countersign', row)}`

describe('the user pool', () => {
  test('is one, with one client', () => {
    expect([...others, ...otherClients]).toEqual([])
  })

  test('lets nobody sign up, has no factor of its own, and its address is no alias', () => {
    expect(pool?.properties).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      MfaConfiguration: 'OFF',
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'admin_only', Priority: 1 }] },
      UsernameConfiguration: { CaseSensitive: true },
    })
    for (const name of ['AliasAttributes', 'UsernameAttributes', 'AutoVerifiedAttributes', 'SmsConfiguration']) {
      expect(pool?.properties, name).not.toHaveProperty(name)
    }
  })

  test('judges passwords by length alone', () => {
    expect(asObject(pool?.properties.Policies).PasswordPolicy).toEqual({
      MinimumLength: 8,
      RequireLowercase: false,
      RequireNumbers: false,
      RequireSymbols: false,
      RequireUppercase: false,
    })
  })

  test('is locked against deletion and retained, as is its client', () => {
    expect(pool?.properties.DeletionProtection).toBe('ACTIVE')
    const retained = [...assembly.templates.values()]
      .flatMap(({ Resources }) => Object.values(Resources))
      .filter(({ Type }) => Type.startsWith('AWS::Cognito::'))

    for (const resource of retained) {
      expect(resource).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
    }
  })

  test('an account never changes its tenant, and the client cannot write it', () => {
    expect(asArray(pool?.properties.Schema)).toContainEqual(
      expect.objectContaining({ AttributeDataType: 'String', Mutable: false, Name: 'tenant_id' }),
    )
    expect(client?.properties.WriteAttributes).toEqual(['email'])
    expect(client?.properties.ReadAttributes).toEqual(['custom:tenant_id', 'email'])
  })

  test('the plan Plus is a choice', () => {
    const chosen = synthesise(SLICE, { cognitoPlan: 'plus' })

    expect(chosen.all('AWS::Cognito::UserPool')[0]?.properties.UserPoolTier).toBe('PLUS')
  })
})

test('nobody may touch it but the functions whose rows say so', () => {
  const allowed = assembly
    .all()
    .filter(
      ({ type, properties }) => type.startsWith('AWS::IAM::') && JSON.stringify(properties).includes('cognito-idp:'),
    )
    .map(({ path }) => path)
  const callers = [...SURFACE.routes, ...SURFACE.workers].filter(({ uses }) => uses.some((use) => 'cognito' in use))

  expect(allowed.toSorted()).toEqual(
    callers.map(({ area, operation }) => `countersign/${area}/${operation}Role/Resource`).toSorted(),
  )
})

describe('its client', () => {
  test('is confidential and has exactly the three flows', () => {
    expect(client?.properties).toMatchObject({
      GenerateSecret: true,
      ExplicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH', 'ALLOW_CUSTOM_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
      AllowedOAuthFlowsUserPoolClient: false,
      EnableTokenRevocation: true,
      PreventUserExistenceErrors: 'ENABLED',
    })
    for (const name of ['RefreshTokenRotation', 'AllowedOAuthFlows', 'CallbackURLs']) {
      expect(client?.properties, name).not.toHaveProperty(name)
    }
  })

  test('gives access for a quarter of an hour and a refresh for thirty days', () => {
    expect(client?.properties).toMatchObject({
      AccessTokenValidity: 15,
      IdTokenValidity: 15,
      RefreshTokenValidity: 43_200,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'minutes' },
    })
  })
})

describe('its functions', () => {
  const { preToken, defineChallenge, createChallenge, verifyChallenge } = workers
  const triggers = [preToken, defineChallenge, createChallenge, verifyChallenge]

  test('are the four of the surface, by name; tokens are changed by version 2 of the event', () => {
    expect(pool?.properties.LambdaConfig).toEqual({
      PreTokenGenerationConfig: { LambdaArn: functionArn(preToken), LambdaVersion: 'V2_0' },
      DefineAuthChallenge: functionArn(defineChallenge),
      CreateAuthChallenge: functionArn(createChallenge),
      VerifyAuthChallengeResponse: functionArn(verifyChallenge),
    })
  })

  test.each(triggers.map((row) => [row.id, row] as const))('%s may be invoked by this pool only', (_, row) => {
    const one = assembly
      .all('AWS::Lambda::Function')
      .find(({ properties }) => properties.FunctionName === functionName('countersign', row))
    const permissions = assembly
      .all('AWS::Lambda::Permission')
      .filter(({ properties }) => asText(properties.FunctionName).includes(asText(one?.ref).slice(1, -1)))

    expect(permissions.map(({ properties }) => properties)).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: expect.any(String),
        Principal: 'cognito-idp.amazonaws.com',
        SourceAccount: '<AWS::AccountId>',
        SourceArn: assembly.of('UserPool/Pool', 'Arn'),
      },
    ])
  })

  test('answer within the five seconds that Cognito waits, and read no name of the pool', () => {
    for (const row of triggers) expect(row.timeoutSeconds).toBeLessThanOrEqual(5)
    expect(triggers.flatMap(({ uses }) => uses.filter((use) => 'cognito' in use))).toEqual([])
  })
})
