import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { canonicalJson, sha256Hex } from '../../../shared/base/lib/json.ts'
import { verifyServiceSignature } from '../../../shared/deliver/webhooks/verify.ts'
import { bodyOf, type Governed, governed, manifestOf, NODE_ID } from '../../support/governed.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  acme = await governed(local)
  target.calls.length = 0
})

const withTarget = (more: object = {}) => [
  { action_id: 'get_contact', target: { type: 'http', url: target.url, ...more } },
]

describe('POST /api/v1/protocol/manifest', () => {
  test('201: tells how each action will be classified', async () => {
    const endpoints = [
      { action_id: 'get_contact' },
      { action_id: 'frobnicate', annotations: { readOnlyHint: true } },
      { action_id: 'update_contact', min_tier: 'HARD' },
    ]
    const body = manifestOf(endpoints, { version: '1.2.0' })
    const reply = await acme.call(protocol.registerManifest, { body })

    expect(reply.status).toBe(201)
    expect(reply.headers.location).toBe(`/api/v1/protocol/manifest/${NODE_ID}?version=1.2.0`)
    expect(reply.body).toEqual({
      node_id: NODE_ID,
      version: '1.2.0',
      status: 'registered',
      manifest_sha256: sha256Hex(canonicalJson(body.manifest)),
      actions: [
        expect.objectContaining({ action_id: 'get_contact', kind: 'read', tier: 'AUTO', floor: 'AUTO' }),
        expect.objectContaining({ action_id: 'frobnicate', kind: 'unknown', tier: 'HARD' }),
        expect.objectContaining({ action_id: 'update_contact', kind: 'update', tier: 'HARD', floor: 'HARD' }),
      ],
      warnings: [expect.stringContaining('frobnicate'), expect.stringContaining('readOnlyHint is not believed')],
    })
  })

  test('201: classifies under the tenant’s settings', async () => {
    await acme.change({ unknown_tier: 'SOFT' })
    const endpoints = [{ action_id: 'frobnicate', undo_action_id: 'get_contact' }, { action_id: 'get_contact' }]
    const { body } = await acme.register(endpoints, { version: '1.2.0' })

    expect(body.actions[0]).toMatchObject({ kind: 'unknown', tier: 'SOFT' })
  })

  test('201: leaves evidence, and no event but that', async () => {
    const events = await acme.told(() => acme.register([{ action_id: 'get_contact' }], { version: '1.1.0' }))

    expect(events).toMatchObject([{ type: 'evidence.emitted', data: { artifact_type: 'manifest.registered' } }])
  })

  test.each(['the same', 'another'])('409: a version is registered once, also with %s content', async (content) => {
    const endpoints = content === 'another' ? [{ action_id: 'get_contact' }] : undefined
    const again = endpoints ?? ['get_contact', 'update_contact', 'delete_contact'].map((action_id) => ({ action_id }))

    expect(await acme.register(again)).toMatchObject({
      status: 409,
      body: {
        detail: `Version 1.0.0 of node ${NODE_ID} already exists. Register a new version.`,
        code: 'already_exists',
      },
    })
    expect(await acme.execute('delete_contact')).toMatchObject({ status: 202 })
  })

  test('409: of two at once one wins', async () => {
    const replies = await Promise.all(
      [1, 2].map(() => acme.register([{ action_id: 'get_contact' }], { version: '1.1.0' })),
    )

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 409]))
  })

  test('201: a lower version that comes late does not become the latest', async () => {
    bodyOf(await acme.register([{ action_id: 'get_contact' }], { version: '1.10.0' }), 201)
    bodyOf(await acme.register([{ action_id: 'update_contact' }], { version: '1.9.9' }), 201)

    expect((await acme.execute('get_contact')).body.receipt.version).toBe('1.10.0')
    expect(await acme.execute('update_contact')).toMatchObject({ status: 404 })
  })

  test('201: a key’s declared kind counts when it is stricter only', async () => {
    const endpoints = [
      { action_id: 'get_contact', kind: 'delete' },
      { action_id: 'delete_contact', kind: 'read' },
      { action_id: 'update_contact', kind: 'read' },
    ]
    const { body } = await acme.register(endpoints, { version: '1.1.0' })

    expect(body.actions).toMatchObject([{ kind: 'delete' }, { kind: 'delete' }, { kind: 'update' }])
  })

  test.each([
    ['an id of two parts', { id: 'crm.contacts' }, ['id'], 'must match namespace.category.name'],
    ['a reserved id', { id: 'platform.crm.x' }, ['id'], 'platform.*, agent.command.* and integration.* are reserved'],
    [
      'the id of the command runner',
      { id: 'agent.command.runner' },
      ['id'],
      'platform.*, agent.command.* and integration.* are reserved',
    ],
    ['a version with a leading zero', { version: '1.02.0' }, ['version'], 'must match major.minor.patch'],
    [
      'an action twice',
      { endpoints: [{ action_id: 'a' }, { action_id: 'a' }] },
      ['endpoints', 1, 'action_id'],
      'must be unique',
    ],
    [
      'a look-alike letter',
      { endpoints: [{ action_id: 'dеlete' }] },
      ['endpoints', 0, 'action_id'],
      expect.any(String),
    ],
    [
      'an undo action that is not there',
      { endpoints: [{ action_id: 'a', undo_action_id: 'b' }] },
      ['endpoints', 0, 'undo_action_id'],
      'must name another action of this version',
    ],
    [
      'an undo action that a person must approve',
      { endpoints: [{ action_id: 'create_user', undo_action_id: 'delete_user' }, { action_id: 'delete_user' }] },
      ['endpoints', 0, 'undo_action_id'],
      expect.stringContaining('delete_user is read as delete, which a person must approve'),
    ],
    [
      'a target of a connection',
      { endpoints: [{ action_id: 'a', target: { type: 'connection', url: 'https://8.8.8.8' } }] },
      ['endpoints', 0, 'target', 'type'],
      expect.any(String),
    ],
    [
      'a private target',
      { endpoints: [{ action_id: 'a', target: { type: 'http', url: 'https://10.0.0.1/' } }] },
      ['endpoints', 0, 'target', 'url'],
      'must be a public address',
    ],
    [
      'a header that we set',
      {
        endpoints: [
          { action_id: 'a', target: { type: 'http', url: 'https://8.8.8.8/', headers: { 'Idempotency-Key': 'x' } } },
        ],
      },
      ['endpoints', 0, 'target', 'headers', 'Idempotency-Key'],
      'is set by the service',
    ],
    [
      'a schema with a pattern',
      { endpoints: [{ action_id: 'a', input_schema: { properties: { b: { pattern: 'x' } } } }] },
      expect.arrayContaining(['input_schema']),
      expect.any(String),
    ],
  ])('422: refuses %s, also when it is only validated', async (_, node, loc, msg) => {
    const body = manifestOf([{ action_id: 'get_contact' }], node)
    const detail = [{ loc: Array.isArray(loc) ? ['body', 'manifest', 'node', ...loc] : loc, msg }]

    for (const route of [protocol.registerManifest, protocol.validateManifest]) {
      expect(await acme.call(route, { body })).toMatchObject({ status: 422, body: { detail } })
    }
  })

  test('403: a key without the scope', async () => {
    const body = manifestOf([{ action_id: 'get_contact' }], { version: '1.1.0' })

    expect(await acme.as('approver').call(protocol.registerManifest, { body })).toMatchObject({ status: 403 })
  })
})

describe('the signing secret of a node', () => {
  const isSignedWith = (secret: string) => {
    const call = target.calls.at(-1)
    return verifyServiceSignature({ headers: call?.headers as Record<string, string>, body: call?.text ?? '' }, secret)
  }

  test('is shown once, with the node’s first target', async () => {
    const first = bodyOf(await acme.register(withTarget(), { version: '1.1.0' }), 201)
    const second = bodyOf(await acme.register(withTarget(), { version: '1.2.0' }), 201)
    const shown = await acme.call(protocol.getManifest, { params: { node_id: NODE_ID } })

    expect(first.signing_secret).toMatch(/^whsec_/)
    expect(second).not.toHaveProperty('signing_secret')
    expect(JSON.stringify(shown.body)).not.toContain('whsec_')
    await acme.execute('get_contact')
    expect(isSignedWith(first.signing_secret)).toBe(true)
  })

  test('is not needed without a target', async () => {
    expect((await acme.register([{ action_id: 'get_contact' }], { version: '1.1.0' })).body).not.toHaveProperty(
      'signing_secret',
    )
  })

  test('is rotated when asked for, and both sign for 24 hours', async () => {
    const rotate = { rotate_signing_secret: true }
    const { signing_secret: former } = bodyOf(await acme.register(withTarget(), { version: '1.1.0' }), 201)
    const { signing_secret: current } = bodyOf(await acme.register(withTarget(), { version: '1.2.0' }, rotate), 201)

    expect(current).not.toBe(former)
    await acme.execute('get_contact')
    expect([isSignedWith(former), isSignedWith(current)]).toEqual([true, true])
    local.clock.moveTo(local.clock.now() + 86_400_000)
    await acme.execute('get_contact')
    expect([isSignedWith(former), isSignedWith(current)]).toEqual([false, true])
  })

  test('is shown again to a repeat with the same Idempotency-Key', async () => {
    const body = manifestOf(withTarget(), { version: '1.1.0' })
    const headers = { 'idempotency-key': 'node-1' }
    const first = await acme.call(protocol.registerManifest, { body, headers })

    expect(await acme.call(protocol.registerManifest, { body, headers })).toMatchObject({
      status: 201,
      body: first.body,
    })
  })
})

test('header values of a target are sent, and shown to nobody', async () => {
  const headers = { authorization: 'Bearer s3cr3t', 'x-team': 'crm' }
  bodyOf(await acme.register(withTarget({ headers }), { version: '1.1.0' }), 201)
  await acme.execute('get_contact')
  const { body } = await acme.call(protocol.getManifest, { params: { node_id: NODE_ID } })

  expect(target.calls[0]?.headers).toMatchObject(headers)
  expect(body.manifest.node.endpoints[0].target.headers).toEqual({ authorization: '********', 'x-team': '********' })
  expect(JSON.stringify(body)).not.toContain('s3cr3t')
})
