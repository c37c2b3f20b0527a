// What the gateway refuses by itself, has the error body of the service.
import { describe, expect, test } from 'vitest'
import { GATEWAY_RESPONSES, WITH_FIXED_CHALLENGE } from '../../infra/gateway-responses.ts'
import { unauthenticated } from '../../shared/base/wire/call.ts'
import { AGENT_SCOPES } from '../../shared/identity/oauth/resources.ts'
import { asObject, asText, type JsonObject } from './support/resolve.ts'

const responses: JsonObject = JSON.parse(JSON.stringify(GATEWAY_RESPONSES))
const of = (type: string) => asObject(responses[type])
const bodyOf = (type: string): Record<string, string> =>
  JSON.parse(asText(asObject(of(type).responseTemplates)['application/json']))

const expected: [type: string, status: number | undefined, code: string][] = [
  ['MISSING_AUTHENTICATION_TOKEN', 404, 'not_found'],
  ['REQUEST_TOO_LARGE', 413, 'too_large'],
  ['BAD_REQUEST_BODY', 400, 'malformed'],
  ['BAD_REQUEST_PARAMETERS', 400, 'malformed'],
  ['THROTTLED', 429, 'rate_limited'],
  ['QUOTA_EXCEEDED', 429, 'rate_limited'],
  ['WAF_FILTERED', 403, 'forbidden'],
  ['ACCESS_DENIED', 401, 'unauthenticated'],
  ['INTEGRATION_TIMEOUT', 504, 'timeout'],
  ['DEFAULT_4XX', undefined, 'malformed'],
  ['DEFAULT_5XX', undefined, 'internal'],
]

test('every refusal of the conventions is there, and no other', () => {
  expect(Object.keys(responses).toSorted()).toEqual(expected.map(([type]) => type).toSorted())
})

describe.each(expected)('%s', (type, status, code) => {
  test('has the status and the body of our own refusals', () => {
    const { detail, request_id, ...rest } = bodyOf(type)

    expect(of(type).statusCode).toBe(status)
    expect(detail).toMatch(/\S/)
    expect(request_id).toBe('$context.requestId')
    const isOurFault = code === 'internal' || code === 'timeout'
    expect(rest).toEqual({ code, ...(isOurFault && { trace_id: '$context.xrayTraceId' }) })
  })

  test('names no variable but ids in its body: API Gateway would put a caller’s text into it unescaped', () => {
    const names = JSON.stringify(bodyOf(type)).match(/\$[\w.]+/g) ?? []

    expect(new Set(names)).toEqual(
      new Set(['$context.requestId', ...('trace_id' in bodyOf(type) ? ['$context.xrayTraceId'] : [])]),
    )
  })

  test('takes from the caller nothing but the id by which the caller knows the request', () => {
    const mapped = Object.entries(asObject(of(type).responseParameters)).filter(
      ([, value]) => !/^'.*'$/.test(asText(value)),
    )

    expect(Object.fromEntries(mapped)).toEqual({
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
      'gatewayresponse.header.X-Correlation-Id': 'method.request.header.X-Correlation-Id',
      ...(status === 401 && { 'gatewayresponse.header.WWW-Authenticate': 'context.authorizer.challenge' }),
    })
  })

  test('has the headers of every answer, and Retry-After with 429', () => {
    const headers = asObject(of(type).responseParameters)

    expect(headers).toMatchObject({
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      'gatewayresponse.header.Strict-Transport-Security': expect.stringMatching(/^'max-age=\d+/),
      'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
      'gatewayresponse.header.Access-Control-Expose-Headers':
        "'X-Request-Id, X-Correlation-Id, Retry-After, WWW-Authenticate'",
    })
    expect(headers).not.toHaveProperty('gatewayresponse.header.Access-Control-Allow-Credentials')
    expect(headers['gatewayresponse.header.Retry-After']).toBe(status === 429 ? "'1'" : undefined)
  })
})

test('without what the authorizer says, the challenge still names the scopes, and no address of another tenant', () => {
  const { ACCESS_DENIED, ...others } = JSON.parse(JSON.stringify(WITH_FIXED_CHALLENGE))
  const { ACCESS_DENIED: usual, ...same } = responses

  expect(others).toEqual(same)
  expect(ACCESS_DENIED).toMatchObject({
    statusCode: asObject(usual).statusCode,
    responseParameters: {
      'gatewayresponse.header.WWW-Authenticate': `'Bearer scope="${AGENT_SCOPES.join(' ')}"'`,
    },
  })
})

test('whoever has no credential hears the same from the gateway as from a function', () => {
  expect(bodyOf('ACCESS_DENIED').detail).toBe(unauthenticated().detail)
})
