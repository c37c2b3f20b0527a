// Routes → the body of one REST API. API Gateway imports OpenAPI 3.0 only, and needs of it no more than paths and
// integrations; the document for people and clients is another one, served by the API itself.
import type { Route } from '../../shared/base/wire/route.ts'
import { GATEWAY_RESPONSES } from '../gateway-responses.ts'
import { UNMATCHED } from '../surface.ts'

/** `function` names what API Gateway invokes, with the role it does so in. */
export type Gateway = { title: string; functionOf: (row: Route) => string; invokeRoleArn: string }

type Operation = { responses: object; parameters: object[]; 'x-amazon-apigateway-integration': object }
type Paths = Record<string, Record<string, Operation>>

/** API Gateway gives up after this; functions end before. */
const INTEGRATION_MILLIS = 29_000
const STREAM_MILLIS = 900_000

const ANY = 'x-amazon-apigateway-any-method'

/** A plain invocation or, for event streams, one that sends bytes as they come. */
function uriOf(row: Route, name: string): object {
  const [version, call] = row.stream ? ['2021-11-15', 'response-streaming-invocations'] : ['2015-03-31', 'invocations']
  const arn = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}`
  return {
    'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${version}/functions/${arn}/${call}`,
  }
}

const variables = (path: string) => [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => String(match[1]))

function operation(path: string, row: Route, { functionOf, invokeRoleArn }: Gateway): Operation {
  return {
    responses: {},
    parameters: variables(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: uriOf(row, functionOf(row)),
      credentials: invokeRoleArn,
      timeoutInMillis: row.stream ? STREAM_MILLIS : INTEGRATION_MILLIS,
      ...(row.stream && { responseTransferMode: 'STREAM' }),
    },
  }
}

/** Throws where two routes name the variable at one place differently: a REST API has one name per place. */
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

/** The document of one host. Whatever matches no route goes to `unmatched`, so that every answer has our form. */
export function openapi(routes: readonly Route[], gateway: Gateway): object {
  checkVariables(routes.map(({ path }) => path))
  const paths: Paths = {}
  for (const route of routes) {
    const known = (paths[route.path] ??= { [ANY]: operation(route.path, UNMATCHED, gateway) })
    known[route.method.toLowerCase()] = operation(route.path, route, gateway)
  }
  for (const path of ['/', '/{proxy+}']) paths[path] ??= { [ANY]: operation(path, UNMATCHED, gateway) }
  return {
    openapi: '3.0.1',
    info: { title: gateway.title, version: '1' },
    paths,
    'x-amazon-apigateway-gateway-responses': GATEWAY_RESPONSES,
  }
}
