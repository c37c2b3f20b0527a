// The OpenAPI body of one REST API. API Gateway imports only OpenAPI 3.0, and needs only paths and integrations. The
// document for people and clients is another one (document.ts).
import type { Route } from '../../shared/base/wire/route.ts'
import { GATEWAY_RESPONSES, WITH_FIXED_CHALLENGE } from '../gateway-responses.ts'
import { authorizerOf, authorizersOf, passedOn, placed, UNMATCHED } from '../surface.ts'

/** `functionOf`: the name that API Gateway invokes with the role `invokeRoleArn`. */
export type Gateway = {
  title: string
  functionOf: (row: { id: string }) => string
  invokeRoleArn: string
  fixedChallenge?: boolean
}

type Operation = {
  responses: object
  parameters: object[]
  security?: object[]
  'x-amazon-apigateway-integration': object
}
type Paths = Record<string, Record<string, Operation>>

/** API Gateway's time-out; functions end before. */
const INTEGRATION_MILLIS = 29_000
const STREAM_MILLIS = 900_000
/** Shorter answers are sent as they are. */
export const COMPRESSED_FROM_BYTES = 1_024
/** The gateway compresses the answers of the application host, which serves pages. Streamed answers stay as they are. */
export const compresses = (routes: readonly Route[]): boolean => routes.some(({ host }) => host === 'app')

const ANY = 'x-amazon-apigateway-any-method'

/** A normal invocation or, for event streams, a streaming one. */
function uriOf(name: string, stream = false): object {
  const [version, call] = stream ? ['2021-11-15', 'response-streaming-invocations'] : ['2015-03-31', 'invocations']
  const arn = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}`
  return {
    'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${version}/functions/${arn}/${call}`,
  }
}

const variables = (path: string) => [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => String(match[1]))

function operation(path: string, row: Route, { functionOf, invokeRoleArn }: Gateway): Operation {
  const authorizer = authorizerOf(row)
  return {
    responses: {},
    parameters: variables(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(authorizer && { security: [{ [authorizer.operation]: [] }] }),
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: uriOf(functionOf(row), row.stream),
      credentials: invokeRoleArn,
      timeoutInMillis: row.stream ? STREAM_MILLIS : INTEGRATION_MILLIS,
      ...(row.stream && { responseTransferMode: 'STREAM' }),
    },
  }
}

/** Asked about every request, also about one without a credential: answers are not kept, so no header has to identify them. */
const schemeOf = (authorizer: { id: string }, { functionOf, invokeRoleArn }: Gateway): object => ({
  type: 'apiKey',
  name: 'Unused', // as API Gateway wants it of an authorizer that gets the whole request
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    authorizerUri: uriOf(functionOf(authorizer)),
    authorizerCredentials: invokeRoleArn,
    authorizerResultTtlInSeconds: 0,
  },
})

/** Throws when two routes name the variable at one place differently, which a REST API does not support. */
function checkVariables(paths: readonly string[]): void {
  const names = new Map<string, string>()
  for (const path of paths) {
    for (const [end, name] of [...path.matchAll(/\{(\w+)\}/g)].map(
      (match) => [match.index, String(match[1])] as const,
    )) {
      const place = path.slice(0, end).replaceAll(/\{\w+\}/g, '{}')
      const known = names.get(place)
      if (known && known !== name) throw new Error(`${path}: the variable after ${place} is called ${known} elsewhere`)
      names.set(place, name)
    }
  }
}

/** The document of one host. Requests without a route go to `unmatched`, so that their answers have the same form. */
export function openapi(routes: readonly Route[], gateway: Gateway): object {
  checkVariables(routes.map(({ path }) => path))
  const paths: Paths = {}
  for (const [path, route] of placed(routes)) {
    const known = (paths[path] ??= { [ANY]: operation(path, UNMATCHED, gateway) })
    for (const method of passedOn(route)) known[method.toLowerCase()] = operation(path, route, gateway)
  }
  for (const path of ['/', '/{proxy+}']) paths[path] ??= { [ANY]: operation(path, UNMATCHED, gateway) }
  const authorizers = authorizersOf(routes)
  const schemes = authorizers.map((authorizer) => [authorizer.operation, schemeOf(authorizer, gateway)])
  return {
    openapi: '3.0.1',
    info: { title: gateway.title, version: '1' },
    paths,
    ...(schemes.length > 0 && { components: { securitySchemes: Object.fromEntries(schemes) } }),
    'x-amazon-apigateway-gateway-responses': gateway.fixedChallenge ? WITH_FIXED_CHALLENGE : GATEWAY_RESPONSES,
    ...(compresses(routes) && { 'x-amazon-apigateway-minimum-compression-size': COMPRESSED_FROM_BYTES }),
  }
}
