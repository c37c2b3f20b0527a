// The option `cdn`: CloudFront in front of both hosts.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { SURFACE } from '../../infra/surface.ts'
import { synthesise } from './support/assembly.ts'
import { openValidator } from './support/validator.ts'
import { asArray, asObject, asText, type JsonObject } from './support/resolve.ts'

const HOSTS = ['api', 'app'] as const
const CERTIFICATE = 'arn:aws:acm:us-east-1:111122223333:certificate/abc'

/** Enough of both hosts. */
const surface = {
  routes: SURFACE.routes.filter(({ area }) => ['auth', 'docs', 'mcp', 'oauth', 'protocol'].includes(area)),
  workers: SURFACE.workers,
}
const assembly = synthesise(surface, { cdn: 'true' })
const named = synthesise(surface, {
  cdn: true,
  waf: false,
  apiDomain: 'api.example.com',
  appDomain: 'app.example.com',
  cdnCertificateArn: CERTIFICATE,
  trustedProxyHops: 1,
})

const below = (host: string, type: string, of = assembly): JsonObject => {
  const [first] = of.all(type).filter(({ path }) => path.startsWith(`countersign/${host}/`))
  return first?.properties ?? {}
}
const distribution = (host: string, of = assembly) =>
  asObject(below(host, 'AWS::CloudFront::Distribution', of).DistributionConfig)
const behaviours = (host: string) => asArray(distribution(host).CacheBehaviors).map(asObject)
const rules = (host: string, of = assembly) => asArray(below(host, 'AWS::WAFv2::WebACL', of).Rules).map(asObject)
const variables = (of = assembly) =>
  asObject(
    asObject(
      of
        .all('AWS::Lambda::Function')
        .find(({ properties }) => properties.FunctionName === 'countersign-protocol-execute')?.properties.Environment,
    ).Variables,
  )

describe.each(HOSTS)('host %s', (host) => {
  test('is reached through CloudFront, which passes everything on and keeps nothing', () => {
    const { DefaultCacheBehavior, Origins, ViewerCertificate = null } = distribution(host)

    expect(DefaultCacheBehavior).toMatchObject({
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad', // Managed-CachingDisabled
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac', // Managed-AllViewerExceptHostHeader
      ViewerProtocolPolicy: 'https-only',
      Compress: false,
      AllowedMethods: expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']),
    })
    expect(asArray(Origins)).toHaveLength(1)
    expect(asArray(Origins)[0]).toMatchObject({
      OriginPath: expect.stringMatching(/^\/<.+\/ApiDeploymentStagelive\w+>$/),
      CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginReadTimeout: 60 },
    })
    expect(ViewerCertificate).toBeNull()
  })

  test('keeps only what is the same for everybody, as long as the answer says', () => {
    const paths = behaviours(host).map(({ PathPattern }) => PathPattern)

    expect(paths).toContain('/.well-known/*')
    expect(['/docs/*', '/.well-known/*', '/console/assets/*']).toEqual(expect.arrayContaining(paths))
    expect(below(host, 'AWS::CloudFront::CachePolicy').CachePolicyConfig).toMatchObject({
      MinTTL: 0,
      DefaultTTL: 0,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['Accept', 'Origin'] },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
      },
    })
    for (const { AllowedMethods = ['GET', 'HEAD'] } of behaviours(host)) expect(AllowedMethods).toEqual(['GET', 'HEAD'])
  })

  test('gives the header its name back in every answer that is not kept, refusals included', () => {
    const [edge, ...others] = asArray(asObject(distribution(host).DefaultCacheBehavior).LambdaFunctionAssociations)

    // Functions of CloudFront itself, and those at `viewer-response`, do not see answers from 400 on.
    expect(edge).toMatchObject({ EventType: 'origin-response', LambdaFunctionARN: expect.anything() })
    expect(others).toEqual([])
  })

  test('answers nobody who goes around CloudFront, even without the other rules of the firewall', () => {
    for (const one of [assembly, named]) {
      const [header] = asArray(asObject(asArray(distribution(host, one).Origins)[0]).OriginCustomHeaders).map(asObject)
      const secret = asText(header?.HeaderValue)
      expect(header?.HeaderName).toBe('X-Origin-Secret')
      expect(secret).toMatch(/^\{\{resolve:secretsmanager:.+:SecretString:::\}\}$/)
      expect(rules(host, one)[0]).toMatchObject({
        Name: 'origin',
        Priority: 0,
        Action: { Block: {} },
        Statement: {
          NotStatement: {
            Statement: {
              ByteMatchStatement: {
                FieldToMatch: { SingleHeader: { Name: 'x-origin-secret' } },
                PositionalConstraint: 'EXACTLY',
                SearchString: secret,
              },
            },
          },
        },
      })
      expect(below(host, 'AWS::WAFv2::WebACLAssociation', one)).not.toEqual({})
    }
    expect(rules(host, named)).toHaveLength(1)
  })

  test('counts floods by the address that CloudFront names', () => {
    expect(rules(host)[1]).toMatchObject({
      Name: 'flood',
      Statement: {
        RateBasedStatement: {
          AggregateKeyType: 'FORWARDED_IP',
          ForwardedIPConfig: { HeaderName: 'X-Viewer-Address', FallbackBehavior: 'MATCH' },
        },
      },
    })
    expect(rules(host).map(({ Name }) => Name)).toEqual(['origin', 'flood'])
  })

  test('has its domain at CloudFront, and the address of the API stays open for it', () => {
    expect(distribution(host, named)).toMatchObject({
      Aliases: [`${host}.example.com`],
      ViewerCertificate: { AcmCertificateArn: CERTIFICATE, MinimumProtocolVersion: 'TLSv1.2_2021' },
    })
    expect(below(host, 'AWS::ApiGateway::RestApi', named).DisableExecuteApiEndpoint).not.toBe(true)
    expect(named.all('AWS::ApiGateway::DomainName')).toEqual([])
  })
})

test('the functions know the addresses at CloudFront, and one more proxy whose word counts', () => {
  expect(variables(named)).toMatchObject({
    BASE_URL: 'https://api.example.com',
    APP_URL: 'https://app.example.com',
    TRUSTED_PROXY_HOPS: '2',
  })
  expect(variables()).toMatchObject({
    BASE_URL: expect.stringMatching(/^https:\/\/<.+\.DomainName>$/),
    TRUSTED_PROXY_HOPS: '1',
  })
})

test('without the option there is neither CloudFront nor a function at its edge', () => {
  const usual = synthesise(surface)

  expect(usual.all().filter(({ type }) => type.startsWith('AWS::CloudFront'))).toEqual([])
  expect(usual.all('AWS::Lambda::Function').filter(({ path }) => path.includes('RestoreChallenge'))).toEqual([])
})

test('CloudFormation would take the templates', () => {
  const validator = openValidator()
  const touched = [...assembly.texts].filter(([, text]) => /AWS::CloudFront|edgelambda/.test(text))
  expect(touched).toHaveLength(3)
  const problems = touched.flatMap(([file, text]) => validator.problems(text, file))
  validator.close()

  expect(problems).toEqual([])
})

describe('the function at the edge', () => {
  type Headers = Record<string, { key?: string; value: string }[]>
  type Answer = { status: string; headers: Headers }
  const file = '../../infra/edge/restore-challenge.cjs'
  const { handler } = createRequire(import.meta.url)(file) as {
    handler: (event: object) => Promise<Answer>
  }
  const pass = (headers: Headers) => handler({ Records: [{ cf: { response: { status: '401', headers } } }] })

  test('gives the header its name back and leaves the rest', async () => {
    const renamed = [{ key: 'x-amzn-Remapped-WWW-Authenticate', value: 'Bearer realm="countersign"' }]
    const type = [{ key: 'Content-Type', value: 'application/json' }]

    expect(await pass({ 'content-type': type, 'x-amzn-remapped-www-authenticate': renamed })).toEqual({
      status: '401',
      headers: {
        'content-type': type,
        'www-authenticate': [{ key: 'WWW-Authenticate', value: 'Bearer realm="countersign"' }],
      },
    })
  })

  test('leaves an answer of the gateway, whose header has its name', async () => {
    const headers = { 'www-authenticate': [{ key: 'WWW-Authenticate', value: 'Bearer' }] }

    expect(await pass(headers)).toEqual({ status: '401', headers })
  })

  test('is deployed in us-east-1 as it is', () => {
    const [file_, text] = [...assembly.texts].find(([name]) => name.startsWith('edge-lambda-stack')) ?? ['', '']

    expect(file_).not.toBe('')
    expect(text).toContain(JSON.stringify('exports.handler = async').slice(1, -1))
  })
})

test('the function before it overwrites what a caller says about itself', () => {
  const code = readFileSync(new URL('../../infra/edge/viewer-address.cjs', import.meta.url), 'utf8')
  const event = { viewer: { ip: '203.0.113.9' }, request: { headers: { 'x-viewer-address': { value: '1.2.3.4' } } } }

  expect(runInNewContext(`${code}; handler(event)`, { event })).toEqual({
    headers: { 'x-viewer-address': { value: '203.0.113.9' } },
  })
})
