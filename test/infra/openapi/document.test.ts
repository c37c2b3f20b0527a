import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { ALSO, OUTCOMES } from '../../../infra/openapi/answers.ts'
import { loadExamples } from '../../../infra/openapi/examples.ts'
import { Problem, REFUSALS } from '../../../infra/openapi/problem.ts'
import { describeTags } from '../../../infra/openapi/tags.ts'
import { loadOperation, openapiDocument, oncePerPath } from '../../../infra/openapi/document.ts'
import { API_VERSION, EVENT_TYPES } from '../../../shared/base/catalog/event-types.ts'
import { DOCUMENT_HOSTS } from '../../../shared/base/wire/site.ts'
import { STATUS_OF } from '../../../shared/base/lib/failure.ts'
import { actionDigest, BoundAction } from '../../../shared/govern/approvals/hold.ts'
import { hex, payloadCommitment } from '../../../shared/ledger/evidence/artifact/hashes.ts'
import { openapiProblems } from '../support/openapi-linter.ts'
import { asArray, asObject, asText, type Json, type JsonObject } from '../support/resolve.ts'

const ID = 'https://countersign.example/openapi.json'
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const examples = await loadExamples(routes)

let document: JsonObject
let ajv: Ajv2020
beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await openapiDocument()))
  ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: ID, ...document })
})

const at = (...path: string[]): JsonObject => path.reduce((node, name) => asObject(node[name]), document)
const operationsOf = (section: string) =>
  Object.entries(at(section)).flatMap(([path, methods]) =>
    Object.entries(asObject(methods))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation: asObject(operation) })),
  )
const contentOf = (holder: Json | undefined) => asObject(asObject(asObject(holder).content)['application/json'])

/** Why a value does not match a schema of the document; empty when it does. */
function mismatches(schema: Json | undefined, value: unknown): unknown[] {
  const local = JSON.stringify(schema).replaceAll('"#/', `"${ID}#/`)
  const check = ajv.compile(JSON.parse(local))
  check(value)
  return check.errors ?? []
}

describe('the OpenAPI document', () => {
  test('obeys OpenAPI 3.1', async () => {
    expect(document).toMatchObject({ openapi: '3.1.1', info: { version: API_VERSION } })
    expect(await openapiProblems(document)).toEqual([])
  })

  test('is made equal from an equal surface', async () => {
    expect(JSON.stringify(await openapiDocument())).toBe(JSON.stringify(document))
  })

  test('describes every route and no other, by its id', () => {
    const described = operationsOf('paths').map(({ path, method, operation: { operationId: id } }) => ({
      id,
      method,
      path,
    }))
    const served = oncePerPath(routes).map(({ id, method, path }) => ({ id, method, path }))

    expect(described).toHaveLength(served.length)
    expect(described).toEqual(expect.arrayContaining(served))
  })

  test('compiles as JSON Schema 2020-12, each shape on its own', () => {
    const names = Object.keys(at('components', 'schemas'))

    expect(names.length).toBeGreaterThan(50)
    for (const name of names) expect(() => ajv.compile({ $ref: `${ID}#/components/schemas/${name}` })).not.toThrow()
  })

  test('requires on every closed operation a credential in either form', () => {
    expect(at('paths', '/api/v1/work/approvals', 'get').security).toEqual([
      { ApiKey: ['governance:read'] },
      { Bearer: ['governance:read'] },
    ])
    expect(at('paths', '/api/health/live', 'get').security).toEqual([])
  })

  test('says what every value of a path and a query means', () => {
    const silent = operationsOf('paths').flatMap(({ operation: { operationId, parameters = [] } }) =>
      asArray(parameters)
        .map(asObject)
        .filter((parameter) => !('$ref' in parameter) && !parameter.description)
        .map(({ name }) => `${asText(operationId)} ${asText(name)}`),
    )

    expect(silent).toEqual([])
  })

  test('names the hosts by addresses that a deployment replaces', () => {
    expect(asArray(document.servers)).toMatchObject([{ url: DOCUMENT_HOSTS.api }])
  })
})

test('an area without a name in the reference is told to whoever adds it', () => {
  const [first] = routes
  expect(first && (() => describeTags([{ ...first, area: 'new' }]))).toThrow('the area new has no name')
})

describe('requests and answers', () => {
  test.each(routes.map((route) => [route.id, route] as const))(
    'the example of %s fits its shapes',
    async (id, route) => {
      const { body, responses = {} } = examples[id] ?? {}
      const { shapes } = await loadOperation(route)

      if (shapes.body && !body) throw new Error(`functions/${route.area}/examples.ts: ${id} needs a body`)
      expect(shapes.body?.safeParse(body).error?.issues).toBeUndefined()
      for (const response of Object.values(responses)) expect(shapes.response.parse(response)).toEqual(response)
    },
  )

  test('the held action of the examples can be checked like a real one, and shows the limit that it reached', () => {
    const held = asObject(examples['approvals-get']?.responses?.[200] as Json)
    const { payload_commitment } = BoundAction.parse(held.binding)

    expect(actionDigest(BoundAction.parse(held.binding))).toBe(held.action_digest)
    expect(hex(payloadCommitment(Buffer.from(asText(held.payload_salt), 'hex'), held.payload))).toBe(payload_commitment)
    expect(held.limits).toMatchObject([{ max: 20, used: 20 }])
  })

  test('every example is of an operation', () => {
    expect(routes.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(examples)))
  })

  test('outcomes and further refusals are described of routes that there are', () => {
    const ids = routes.map(({ id }) => id)

    expect(ids).toEqual(expect.arrayContaining([...Object.keys(OUTCOMES), ...Object.keys(ALSO)]))
  })

  test('says where an operation redirects, finds nothing yet, or does nothing', () => {
    const statuses = (method: string, path: string) =>
      Object.keys(asObject(asObject(asObject(asObject(document.paths)[path])[method]).responses))

    expect(statuses('get', '/').filter((status) => status < '400')).toEqual(['302'])
    expect(statuses('get', '/oauth/authorize')).toContain('303')
    expect(statuses('get', '/auth/sso/start')).toEqual(expect.arrayContaining(['302', '404']))
    expect(statuses('get', '/api/v1/learning')).toContain('404')
    expect(statuses('post', '/api/scim/v2/Bulk')).toContain('501')
    const without = operationsOf('paths').flatMap(({ operation: { operationId, responses } }) =>
      Object.keys(asObject(responses)).some((status) => status.startsWith('2')) ? [] : asText(operationId),
    )
    expect(without.toSorted()).toEqual([
      'docs-home',
      'scim-bulk',
      'scim-create-me',
      'scim-delete-me',
      'scim-get-me',
      'scim-patch-me',
      'scim-replace-me',
      'sso-open-id-callback',
      'sso-saml-callback',
      'sso-start',
    ])
    expect(statuses('get', '/api/scim/v2/Users')).not.toContain('501')
  })

  test('every example matches the schema beside it', () => {
    const faults = operationsOf('paths').flatMap(({ operation }) => {
      const answers = Object.values(asObject(operation.responses))
      return [operation.requestBody, ...answers].flatMap((holder) => {
        const { schema, example } = contentOf(holder)
        return example === undefined ? [] : mismatches(schema, example)
      })
    })

    expect(faults).toEqual([])
  })

  test('every path variable is described and shows a value, and every value shown matches its schema', () => {
    const all = operationsOf('paths').flatMap(({ path, operation }) =>
      asArray(operation.parameters ?? []).map((parameter): JsonObject => ({ path, ...asObject(parameter) })),
    )
    const silent = all.filter(({ in: place, description }) => place === 'path' && !description)
    const shown = all.filter(({ example }) => example !== undefined)

    expect(silent.map(({ path }) => `${asText(path)}: name the variable in the examples of the area`)).toEqual([])
    expect(shown.flatMap(({ schema, example }) => mismatches(schema, example))).toEqual([])
  })

  test('the path, the tag and the answer of an example speak of one thing', () => {
    const faults = operationsOf('paths').flatMap(({ path, method, operation }) => {
      const { example } = contentOf(asObject(operation.responses)['200'])
      const { example: body } = contentOf(operation.requestBody)
      const last = asArray(operation.parameters ?? [])
        .map(asObject)
        .find(({ name }) => path.endsWith(`/{${asText(name)}}`))
      const isOther = method === 'GET' && last && example && !JSON.stringify(example).includes(asText(last.example))
      const { version = 3 } = asObject(body)
      return isOther || version !== 3 ? `${method} ${path}` : []
    })

    expect(asObject(at('components', 'parameters', 'IfMatch').schema).examples).toEqual(['"v3"'])
    expect(faults).toEqual([])
  })

  test('every request with a body shows one', () => {
    const silent = operationsOf('paths').filter(({ operation: { requestBody } }) => {
      if (!requestBody) return false
      return Object.values(asObject(asObject(requestBody).content)).some((each) => !('example' in asObject(each)))
    })

    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('held, rejected and failed executions answer with the execution', () => {
    const answers = at('paths', '/api/v1/protocol/execute', 'post', 'responses')

    for (const status of ['200', '202', '502']) {
      expect(contentOf(answers[status]).schema).toEqual({ $ref: '#/components/schemas/Execution' })
    }
    expect(contentOf(answers['403']).schema).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Execution' }, { $ref: '#/components/schemas/Problem' }],
    })
  })

  test('a list takes both ways of paging', () => {
    const { parameters } = at('paths', '/api/webhooks', 'get')

    expect(parameters).toEqual(
      ['Limit', 'Cursor', 'Offset'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    )
  })

  test('a misspelt member of a request is refused, an unknown one of a reply is not', () => {
    const request = { node_id: 'a.b.c', action_id: 'run', payload: {}, polcy_context: {} }
    const [alive, anything] = [{ status: 'alive', since: 1 }, { status: 'ill' }]

    expect(mismatches({ $ref: '#/components/schemas/ProtocolExecuteBody' }, request)).not.toEqual([])
    expect(mismatches({ $ref: '#/components/schemas/HealthLiveReply' }, alive)).toEqual([])
    expect(mismatches({ $ref: '#/components/schemas/HealthLiveReply' }, anything)).not.toEqual([])
  })

  test('every answer of ours carries the rate limit', () => {
    const answers = operationsOf('paths').flatMap(({ operation }) => Object.values(asObject(operation.responses)))
    const ours = answers.map(asObject).filter(({ $ref }) => $ref === undefined)
    const shared = Object.values(at('components', 'responses')).map(asObject)

    for (const { headers } of [...ours, ...shared]) {
      expect(Object.keys(asObject(headers))).toEqual(expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Remaining']))
    }
  })
})

describe('refusals', () => {
  test.each(Object.entries(REFUSALS))('the example of a %s is one', (_, { example }) => {
    expect(Problem.parse(example)).toEqual(example)
  })

  test('every kind of failure has its code in the closed list', () => {
    expect(Problem.shape.code.options).toEqual(expect.arrayContaining(Object.keys(STATUS_OF)))
  })
})

describe('webhooks', () => {
  test('every event type of the catalogue is described, with an example that matches', () => {
    const events = operationsOf('webhooks')
    const faults = events.flatMap(({ operation }) => {
      const { schema, example } = contentOf(operation.requestBody)
      return mismatches(schema, example)
    })

    expect(events.map(({ path }) => path)).toEqual([...EVENT_TYPES])
    expect(faults).toEqual([])
  })

  test('protocol.executed carries its type under both of its published names', () => {
    const { example } = contentOf(at('webhooks', 'protocol.executed', 'post').requestBody)

    expect(asObject(example)).toMatchObject({ type: 'protocol.executed', event: 'protocol.executed' })
    expect(asText(asObject(example).version)).toBe(API_VERSION)
  })
})
