import { describe, expect, test } from 'vitest'
import { workers } from '../../functions/workers.ts'
import { functionName } from '../../infra/platform.ts'
import { SURFACE, UNMATCHED } from '../../infra/surface.ts'
import { answersHead } from '../../shared/base/wire/head.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { type Assembly, SLICE, synthesise } from './support/assembly.ts'
import { asArray, asObject, asText, type JsonObject } from './support/resolve.ts'

const ANY = 'x-amazon-apigateway-any-method'
/** Default quota of resources of one API: the nodes of its tree of paths. */
const PATH_NODES_MAX = 300

const CHALLENGE = workers.challenge
const assembly = synthesise()
const HOSTS = ['api', 'app'] as const
type Host = (typeof HOSTS)[number]

const bodyOf = ({ all }: Assembly, host: Host): JsonObject =>
  asObject(all('AWS::ApiGateway::RestApi').find(({ path }) => path.startsWith(`countersign/${host}/`))?.properties.Body)

const routesOf = (host: Host) => SURFACE.routes.filter((route) => route.host === host || route.host === 'both')

/** `METHOD path` → name of the function it invokes, for one host. */
function integrations(of: Assembly, host: Host): Map<string, string> {
  const all = new Map<string, string>()
  for (const [path, methods] of Object.entries(asObject(bodyOf(of, host).paths))) {
    for (const [method, operation] of Object.entries(asObject(methods))) {
      const integration = asObject(asObject(operation)['x-amazon-apigateway-integration'])
      const name = /:function:([\w:-]+)\/(response-streaming-)?invocations$/.exec(asText(integration.uri))?.[1]
      all.set(`${method === ANY ? 'ANY' : method.toUpperCase()} ${path}`, name ?? '')
    }
  }
  return all
}

const nodes = (paths: readonly string[]) =>
  new Set(paths.flatMap((path) => path.split('/').map((_, end, parts) => parts.slice(0, end + 1).join('/')))).size

/** Directories may also ask for SCIM in lower case. */
const spellings = ({ path }: Route) => (path.startsWith('/api/scim/v2/') ? [path, path.toLowerCase()] : [path])

const expected = (route: Route): [string, string][] => {
  const methods = answersHead(route) ? [route.method, 'HEAD'] : [route.method]
  return methods.flatMap((method) =>
    spellings(route).map((path): [string, string] => [`${method} ${path}`, functionName('countersign', route)]),
  )
}

const below = (host: Host, type: string) =>
  assembly.all(type).filter(({ path }) => path.startsWith(`countersign/${host}/`))

describe.each(HOSTS)('host %s', (host) => {
  test('each route invokes its own function, and nothing else is invoked but the one for what matches no route', () => {
    const known = new Map(routesOf(host).flatMap(expected))
    const paths = new Set([...routesOf(host).flatMap(spellings), '/', '/{proxy+}'])
    for (const path of paths) known.set(`ANY ${path}`, functionName('countersign', UNMATCHED))

    expect(integrations(assembly, host)).toEqual(known)
  })

  test('every function that is invoked exists', () => {
    const existing = new Set(assembly.all('AWS::Lambda::Function').map(({ properties }) => properties.FunctionName))

    expect([...integrations(assembly, host).values()].filter((name) => !existing.has(name))).toEqual([])
  })

  test('its role may invoke every function it names and no worker', () => {
    const role = assembly.all('AWS::IAM::Role').find(({ path }) => path === `countersign/${host}/InvokeRole/Resource`)
    const document = asObject(asObject(asArray(role?.properties.Policies)[0]).PolicyDocument)
    const patterns = asArray(document.Statement)
      .flatMap((statement) => [asObject(statement).Resource ?? []].flat())
      .map((resource) => asText(resource).split(':function:')[1] ?? '')
    const allows = (name: string) => patterns.some((pattern) => name.startsWith(pattern.replace(/\*$/, '')))

    expect([...integrations(assembly, host).values()].filter((name) => !allows(name))).toEqual([])
    const invoked = SURFACE.workers.filter((worker) => allows(functionName('countersign', worker)))
    expect(invoked).toEqual(host === 'api' ? [CHALLENGE] : [])
  })

  test('asks the authorizer before the tools of a tenant, and before nothing else', () => {
    const { components = {}, paths } = bodyOf(assembly, host)
    const guarded = Object.entries(asObject(paths)).flatMap(([path, methods]) =>
      Object.entries(asObject(methods)).flatMap(([method, one]) =>
        asObject(one).security ? [[method, path, asObject(one).security]] : [],
      ),
    )
    if (host === 'app') return expect([guarded, components]).toEqual([[], {}])

    expect(guarded).toEqual([['post', '/mcp/{tenant_id}', [{ challenge: [] }]]])
    expect(components).toMatchObject({
      securitySchemes: {
        challenge: {
          type: 'apiKey',
          name: 'Unused',
          in: 'header',
          'x-amazon-apigateway-authtype': 'custom',
          'x-amazon-apigateway-authorizer': {
            type: 'request',
            authorizerUri: expect.stringContaining(`:function:${functionName('countersign', CHALLENGE)}/invocations`),
            authorizerCredentials: expect.anything(),
            authorizerResultTtlInSeconds: 0,
          },
        },
      },
    })
    expect(JSON.stringify(components)).not.toContain('identitySource')
  })

  test('the tree of its paths fits the default quota of an API', () => {
    expect(nodes(routesOf(host).flatMap(spellings))).toBeLessThanOrEqual(PATH_NODES_MAX)
  })

  test('answers are compressed on the application host only, where pages are', () => {
    const size = bodyOf(assembly, host)['x-amazon-apigateway-minimum-compression-size']

    expect(size).toBe(host === 'app' ? 1_024 : undefined)
  })

  test('refusals of the gateway itself carry the error body of the service', () => {
    const responses = asObject(bodyOf(assembly, host)['x-amazon-apigateway-gateway-responses'])

    for (const response of Object.values(responses)) {
      const body: unknown = JSON.parse(asText(asObject(asObject(response).responseTemplates)['application/json']))
      expect(body).toMatchObject({
        detail: expect.any(String),
        code: expect.any(String),
        request_id: '$context.requestId',
      })
    }
    expect(responses.MISSING_AUTHENTICATION_TOKEN).toMatchObject({ statusCode: 404 })
    expect(responses.INTEGRATION_TIMEOUT).toMatchObject({ statusCode: 504 })
  })

  test('its stage logs, traces, limits and lies behind the firewall', () => {
    expect(below(host, 'AWS::ApiGateway::Stage')[0]?.properties).toMatchObject({
      StageName: 'live',
      TracingEnabled: true,
      AccessLogSetting: expect.anything(),
      MethodSettings: [
        expect.objectContaining({ LoggingLevel: 'ERROR', DataTraceEnabled: false, ThrottlingBurstLimit: 2_500 }),
      ],
    })
    expect(below(host, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1)
  })
})

describe('options', () => {
  const chosen = synthesise(SLICE, {
    apiDomain: 'api.example.com',
    appDomain: 'app.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/abc',
    corsOrigins: 'https://console.example.com',
    provisionedConcurrency: '2',
    waf: 'false',
    alarmEmail: 'ops@example.com',
    objectLock: 'compliance',
  })

  test('own domains replace the generated addresses everywhere', () => {
    const [one] = chosen.all('AWS::Lambda::Function')

    expect(asObject(one?.properties.Environment).Variables).toMatchObject({
      BASE_URL: 'https://api.example.com',
      APP_URL: 'https://app.example.com',
      CORS_ORIGINS: 'https://console.example.com',
      EVIDENCE_ORIGIN: 'api.example.com',
    })
    expect(chosen.all('AWS::ApiGateway::DomainName').map(({ properties }) => properties.DomainName)).toEqual([
      'api.example.com',
      'app.example.com',
    ])
    for (const { properties } of chosen.all('AWS::ApiGateway::RestApi')) {
      expect(properties.DisableExecuteApiEndpoint).toBe(true)
    }
  })

  test('warm functions are invoked through their alias, all others directly', () => {
    const aliases = chosen.all('AWS::Lambda::Alias')
    const invoked = [...integrations(chosen, 'api').values()].filter((name) => name.includes(':'))

    expect(invoked.toSorted()).toEqual(
      SURFACE.routes
        .filter(({ id }) => id === 'protocol-execute' || id === 'approvals-approve')
        .map((route) => `${functionName('countersign', route)}:warm`)
        .toSorted(),
    )
    expect(aliases).toHaveLength(invoked.length)
    for (const { properties } of aliases) {
      expect(properties.ProvisionedConcurrencyConfig).toEqual({ ProvisionedConcurrentExecutions: 2 })
    }
  })

  test('alarms reach the given address, the firewall can be left out, checkpoints can be locked for good', () => {
    for (const { properties } of chosen.all('AWS::CloudWatch::Alarm')) expect(properties.AlarmActions).toHaveLength(1)
    expect(chosen.all('AWS::SNS::Subscription')[0]?.properties.Endpoint).toBe('ops@example.com')
    expect(chosen.all('AWS::WAFv2::WebACL')).toEqual([])
    expect(JSON.stringify(chosen.all('AWS::S3::Bucket'))).toContain('"Mode":"COMPLIANCE"')
  })
})
