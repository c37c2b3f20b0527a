import { describe, expect, test } from 'vitest'
import { openapi } from '../../../infra/openapi/openapi.ts'
import { UNMATCHED } from '../../../infra/surface.ts'
import { area, get, post, read } from '../../../shared/base/wire/route.ts'
import { asObject, type JsonObject } from '../support/resolve.ts'

const open = {
  host: 'api',
  access: 'public',
  rate: 'none',
  uses: [],
  evidence: { none: 'a sample' },
  summary: '',
} as const

const sample = area('sample', {
  list: get('/api/things', open),
  create: post('/api/things', open),
  read: get('/api/things/{id}/parts/{part}', open),
  follow: get('/api/stream', { ...open, stream: true }),
  look: read('/api/looks', { access: 'public', summary: '' }),
})

const gateway = { title: 'sample', functionOf: (row: { id: string }) => `f-${row.id}`, invokeRoleArn: 'role' }
const body: JsonObject = JSON.parse(JSON.stringify(openapi(Object.values(sample), gateway)))
const operation = (path: string, method: string) => asObject(asObject(asObject(body.paths)[path])[method])
const integration = (path: string, method: string) =>
  asObject(operation(path, method)['x-amazon-apigateway-integration'])

describe('openapi', () => {
  test('is the version that API Gateway imports', () => {
    expect(body.openapi).toBe('3.0.1')
  })

  test('each method of a path invokes its own function in the name of the one role', () => {
    expect(integration('/api/things', 'get')).toMatchObject({
      type: 'aws_proxy',
      httpMethod: 'POST',
      credentials: 'role',
      timeoutInMillis: 29_000,
      uri: { 'Fn::Sub': expect.stringContaining('/2015-03-31/functions/arn:${AWS::Partition}:lambda:') },
    })
    expect(JSON.stringify(integration('/api/things', 'post').uri)).toContain(':function:f-sample-create/invocations')
  })

  test.each(['/', '/{proxy+}', '/api/things', '/api/stream'])(
    'other methods of %s go to the function for what matches nothing',
    (path) => {
      const { uri } = integration(path, 'x-amazon-apigateway-any-method')

      expect(JSON.stringify(uri)).toContain(`:function:f-${UNMATCHED.id}/invocations`)
    },
  )

  test('HEAD calls the function of a GET that only reads, and goes elsewhere otherwise', () => {
    expect(integration('/api/looks', 'head')).toEqual(integration('/api/looks', 'get'))
    expect(asObject(asObject(body.paths)['/api/things'])).not.toHaveProperty('head')
  })

  test('variables of a path are declared', () => {
    expect(operation('/api/things/{id}/parts/{part}', 'get').parameters).toMatchObject([
      { name: 'id', in: 'path', required: true },
      { name: 'part', in: 'path', required: true },
    ])
  })

  test('an event stream is passed on as it comes, for up to 15 minutes', () => {
    expect(integration('/api/stream', 'get')).toMatchObject({
      responseTransferMode: 'STREAM',
      timeoutInMillis: 900_000,
      uri: { 'Fn::Sub': expect.stringMatching(/\/2021-11-15\/functions\/.+\/response-streaming-invocations$/) },
    })
    expect(integration('/api/stream', 'x-amazon-apigateway-any-method')).not.toHaveProperty('responseTransferMode')
  })

  test('two names for the variable at one place are refused, as API Gateway would', () => {
    const clash = area('clash', { a: get('/api/things/{id}', open), b: get('/api/things/{thing}/parts', open) })

    expect(() => openapi(Object.values(clash), gateway)).toThrow('is called id elsewhere')
  })
})
