import { describe, expect, test } from 'vitest'
import { refuseBody } from '../../../../shared/edge/validate.ts'
import { Failure } from '../../../../shared/base/lib/failure.ts'
import { registrationBody } from '../../../../shared/govern/manifests/manifest.ts'

const ENDPOINT = { action_id: 'update_contact' }
const NODE = { id: 'crm.contacts.editor', name: 'Contacts', version: '1.4.2', endpoints: [ENDPOINT] }
const BODY = { manifest: { protocol_version: '1.0', node: NODE } }

const withNode = (node: object) => ({ manifest: { protocol_version: '1.0', node: { ...NODE, ...node } } })
const withEndpoint = (endpoint: object) => withNode({ endpoints: [{ ...ENDPOINT, ...endpoint }] })

/** What the request layer makes of a body. */
function failureOf(body: object): Failure {
  const parsed = registrationBody.safeParse(body)
  if (parsed.success) throw new Error('was accepted')
  try {
    return refuseBody(parsed.error.issues, body)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
const detailsOf = (body: object) => {
  const { detail } = failureOf(body)
  return typeof detail === 'string'
    ? detail
    : detail.map(({ loc, msg, type }) => `${loc.slice(1).join('.')}: ${msg} (${type})`)
}

test('a minimal registration is accepted, and the manifest is kept as it was sent', () => {
  expect(registrationBody.parse(BODY)).toEqual({
    manifest: BODY.manifest,
    registry: { listing_tier: 'development', rotate_signing_secret: false },
  })
})

test('every field may be given', () => {
  const endpoint = {
    action_id: 'Update.contact:v2',
    description: 'Updates a contact.',
    approval_required: true,
    idempotency: true,
    kind: 'update',
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      irreversible: false,
    },
    input_schema: { type: 'object', properties: { pattern: { type: 'string' } } },
    undo_action_id: 'restore_contact',
    target: {
      type: 'http',
      url: 'https://api.example.com/x',
      method: 'PUT',
      headers: { 'X-Team': 'crm' },
      timeout_ms: 1000,
    },
    min_tier: 'SOFT',
    sandbox_response: { ok: true },
  }
  const manifest = withNode({
    owner: 'sales',
    category: 'crm',
    endpoints: [endpoint, { action_id: 'restore_contact' }],
  }).manifest

  expect(registrationBody.parse({ manifest, registry: { listing_tier: 'production' } }).manifest).toEqual(manifest)
})

test('null counts as absent', () => {
  const body = {
    ...withEndpoint({ description: null, annotations: null, target: null, input_schema: null }),
    registry: null,
  }

  expect(registrationBody.parse(body)).toEqual(registrationBody.parse(BODY))
})

test.each([
  [{}, 'You left out required fields: manifest. Send them.'],
  [{ manifest: {} }, 'You left out required fields: manifest.protocol_version, manifest.node. Send them.'],
  [
    withNode({ id: undefined, endpoints: [{}] }),
    'You left out required fields: manifest.node.id, manifest.node.endpoints.0.action_id. Send them.',
  ],
])('what is missing is a 400 that names all of it: %#', (body, detail) => {
  expect(failureOf(body)).toMatchObject({ kind: 'malformed', detail })
})

const endpointsOf = (length: number) => Array.from({ length }, (_, i) => ({ action_id: `get_${i}` }))

describe('node', () => {
  test.each([
    'crm.contacts',
    'crm.contacts.editor.x',
    'crm..editor',
    'crm.con tacts.editor',
    'crm.contacts.éditor',
    `${'x'.repeat(64)}.a.b`,
    '',
  ])('the id %j is refused', (id) => {
    expect(detailsOf(withNode({ id }))).toEqual(['manifest.node.id: must match namespace.category.name (value_error)'])
  })

  test.each(['platform.models.registry', 'Platform.x.y', 'agent.command.runner'])('the id %s is reserved', (id) => {
    expect(detailsOf(withNode({ id }))).toEqual([
      'manifest.node.id: platform.*, agent.command.* and integration.* are reserved (value_error)',
    ])
  })

  test.each(['agent.commands.runner', 'platforms.a.b', `${'x'.repeat(63)}.A-1_b.c`])('the id %s is free', (id) => {
    expect(registrationBody.safeParse(withNode({ id })).success).toBe(true)
  })

  test.each(['1.0', '1.0.0.0', '01.0.0', '1.0.0-beta', 'v1.0.0', '1.0.100000', ''])(
    'the version %j is refused',
    (version) => {
      expect(detailsOf(withNode({ version }))).toEqual([
        'manifest.node.version: must match major.minor.patch (value_error)',
      ])
    },
  )

  test.each([{ name: '' }, { name: 'x'.repeat(121) }, { name: 'a\u0000' }, { owner: 5 }, { endpoints: [] }])(
    '%j is refused',
    (node) => {
      expect(failureOf(withNode(node)).kind).toBe('invalid')
    },
  )

  test('at most 200 actions are accepted', () => {
    expect(registrationBody.safeParse(withNode({ endpoints: endpointsOf(200) })).success).toBe(true)
    expect(registrationBody.safeParse(withNode({ endpoints: endpointsOf(201) })).success).toBe(false)
  })
})

describe('actions', () => {
  test.each(['1get', '_get', 'get contact', 'gеt', 'x'.repeat(129), ''])('the id %j is refused', (action_id) => {
    expect(failureOf(withEndpoint({ action_id })).kind).toBe('invalid')
  })

  test('ids are unique', () => {
    expect(detailsOf(withNode({ endpoints: [ENDPOINT, ENDPOINT] }))).toEqual([
      'manifest.node.endpoints.1.action_id: must be unique (value_error)',
    ])
  })

  test.each(['nowhere', 'update_contact'])('the undo action %s is refused', (undo_action_id) => {
    expect(detailsOf(withEndpoint({ undo_action_id }))).toEqual([
      'manifest.node.endpoints.0.undo_action_id: must name another action of this version (value_error)',
    ])
  })

  test.each([
    [{ kind: 'unknown' }, 'kind'],
    [{ kind: 'harmless' }, 'kind'],
    [{ min_tier: 'AUTO' }, 'min_tier'],
    [{ description: 'x'.repeat(2001) }, 'description'],
    [{ annotations: { title: 'x' } }, 'annotations.title'],
    [{ annotations: { readOnlyHint: 'yes' } }, 'annotations.readOnlyHint'],
    [{ requires_approval: true }, 'requires_approval'],
    [{ input_schema: { pattern: '(a+)+$' } }, 'input_schema.pattern'],
    [{ input_schema: { $ref: 'https://example.com/s' } }, 'input_schema.$ref'],
    [{ sandbox_response: [] }, 'sandbox_response'],
    [{ target: { type: 'connection', url: 'https://x.example' } }, 'target.type'],
    [{ target: { type: 'http', url: 'ftp://x.example' } }, 'target.url'],
    [{ target: { type: 'http', url: '/relative' } }, 'target.url'],
    [{ target: { type: 'http', url: 'https://x.example', method: 'GET' } }, 'target.method'],
    [{ target: { type: 'http', url: 'https://x.example', timeout_ms: 999 } }, 'target.timeout_ms'],
    [{ target: { type: 'http', url: 'https://x.example', timeout_ms: 20_001 } }, 'target.timeout_ms'],
    [{ target: { type: 'http', url: 'https://x.example', headers: { 'X-A': 'a\r\nX-B: b' } } }, 'target.headers.X-A'],
    [{ target: { type: 'http', url: 'https://x.example', headers: { 'X A': 'a' } } }, 'target.headers.X A'],
  ])('%j is refused at %s', (endpoint, place) => {
    const { detail } = failureOf(withEndpoint(endpoint))

    expect(detail).toEqual([
      expect.objectContaining({ loc: ['body', 'manifest', 'node', 'endpoints', 0, ...place.split('.')] }),
    ])
  })

  test.each([
    'Host',
    'content-type',
    'Connection',
    'Proxy-Authorization',
    'Transfer-Encoding',
    'webhook-signature',
    'X-Webhook-Signature',
    'X-Service-Signature',
    'Idempotency-Key',
    'traceparent',
  ])('the header %s is set by the service', (name) => {
    const target = { type: 'http', url: 'https://x.example', headers: { [name]: 'x' } }

    expect(detailsOf(withEndpoint({ target }))).toEqual([
      `manifest.node.endpoints.0.target.headers.${name}: is set by the service (value_error)`,
    ])
  })
})

test('several violations are told at once, each at its place', () => {
  expect(detailsOf({ ...withNode({ id: 'x', version: 'y', colour: 'red' }), extra: 1 })).toEqual([
    'manifest.node.id: must match namespace.category.name (value_error)',
    'manifest.node.version: must match major.minor.patch (value_error)',
    'manifest.node.colour: unknown field (extra_forbidden)',
    'extra: unknown field (extra_forbidden)',
  ])
})

test.each([[{ listing_tier: 'Not A Slug' }], [{ listing_tier: '' }], [{ tier: 'x' }]])(
  'the registry %j is refused',
  (registry) => {
    expect(failureOf({ ...BODY, registry }).kind).toBe('invalid')
  },
)
