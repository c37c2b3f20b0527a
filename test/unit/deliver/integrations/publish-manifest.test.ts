import { beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../../functions/protocol/routes.ts'
import { previewManifest } from '../../../../shared/deliver/integrations/preview-manifest.ts'
import { publishManifest } from '../../../../shared/deliver/integrations/publish-manifest.ts'
import { createContext } from '../../../../shared/base/context.ts'
import { bodyOf, type Governed, governed } from '../../../support/governed.ts'
import { personIn } from '../../../support/person.ts'
import { useLocalStack } from '../../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const get = (tag: string, of: object = {}) => ({ get: { tags: [tag], ...of } })
const toolOf = (paths: object) => ({
  id: 'my-tool',
  name: 'My tool',
  base_url: 'https://api.example.com:8443/v1',
  document: JSON.stringify({ openapi: '3.1.0', paths }),
})
const PATHS = {
  '/notes': { ...get('Notes'), post: { tags: ['Notes'] }, delete: { tags: ['Notes'] } },
  '/people': get('People', { deprecated: true }),
  '/teams': get('Teams'),
  '/files': { post: { tags: ['Files'], requestBody: { content: { 'image/png': {} } } } },
}
const tool = toolOf(PATHS)
const wide = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`p${i}`, { type: 'string', description: 'x'.repeat(200) }]),
  ),
}
const many = (count: number, schema: object = {}) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `/n/${i}`,
      { put: { tags: ['n'], requestBody: { content: { 'application/json': { schema } } } } },
    ]),
  )

describe('the preview of a publication', () => {
  test('shows groups, and the actions of the first', async () => {
    const shown = await previewManifest(acme.ctx, tool)
    expect(shown.groups).toMatchObject([
      { group: 'notes', node_id: 'integration.my_tool.notes', operations: 3, actions_by_tier: { SOFT: 0 } },
      { group: 'teams', node_id: 'integration.my_tool.teams', operations: 1 },
    ])
    expect(shown.actions).toMatchObject([
      { action_id: 'get_notes', operation: 'GET /notes', tier: 'AUTO', floors: [] },
      { action_id: 'post_notes', operation: 'POST /notes', floors: [{ floor: 'SOFT' }] },
      { action_id: 'delete_notes', operation: 'DELETE /notes', tier: 'HARD', floors: [{ floor: 'HARD' }] },
    ])
    const targets = shown.manifest.node.endpoints.map(({ target }) => target)
    expect(targets).toMatchObject([{ method: 'GET', host: 'api.example.com:8443', path: '/notes' }, {}, {}])
    expect(shown.operations_skipped).toEqual([
      { operation: 'POST /files', reason: 'unsupported_body', detail: 'image/png' },
      { operation: 'GET /people', reason: 'deprecated' },
    ])
    expect(shown.operations_simplified).toEqual([])
    expect(shown.report).toEqual({
      operations: 6,
      converted: 5,
      simplified: 0,
      skipped: 1,
      simplified_because: [],
      skipped_because: [{ reason: 'unsupported_body', operations: 1 }],
    })
    expect(shown.manifest.node).toMatchObject({ name: 'My tool: notes', version: '1.0.0', category: 'integration' })
    expect((await acme.call(protocol.getManifest, { params: { node_id: shown.manifest.node.id } })).status).toBe(404)
  })

  test('of another group, and of one that is not there', async () => {
    expect((await previewManifest(acme.ctx, tool, 'teams')).actions).toMatchObject([{ operation: 'GET /teams' }])
    await expect(previewManifest(acme.ctx, tool, 'people')).rejects.toMatchObject({ status: 422 })
  })

  test('says what does not fit one manifest', async () => {
    const { actions, warnings } = await previewManifest(acme.ctx, toolOf(many(201)))
    expect(actions).toHaveLength(200)
    expect(warnings[0]).toBe('selection_required: 201 operations do not fit one manifest')
    expect((await previewManifest(acme.ctx, toolOf(many(40, wide)))).actions.length).toBeLessThan(40)
  })

  test('of a document without operations, and of one that cannot be read', async () => {
    for (const document of ['{"openapi":"3.1.0"}', '{'])
      await expect(previewManifest(acme.ctx, { ...tool, document })).rejects.toMatchObject({ status: 409 })
  })
})

describe('publishing', () => {
  const version = async (node_id: string) =>
    bodyOf(await acme.call(protocol.getManifest, { params: { node_id } }), 200).version

  test('registers a node for each group, and once', async () => {
    const { document_sha256 } = await previewManifest(acme.ctx, tool)
    expect(await publishManifest(acme.ctx, tool, { document_sha256 })).toEqual({
      nodes: [
        { node_id: 'integration.my_tool.notes', version: '1.0.0', actions: 3, status: 'registered' },
        { node_id: 'integration.my_tool.teams', version: '1.0.0', actions: 1, status: 'registered' },
      ],
    })
    await expect(publishManifest(acme.ctx, tool, {})).rejects.toMatchObject({ status: 409 })
    await expect(publishManifest(acme.ctx, tool, { document_sha256: 'other' })).rejects.toMatchObject({ status: 409 })
  })

  test('goes on where it ended, with versions by what changed', async () => {
    await publishManifest(acme.ctx, tool, { groups: ['notes'] })
    expect((await publishManifest(acme.ctx, tool, {})).nodes).toMatchObject([
      { status: 'unchanged' },
      { status: 'registered' },
    ])
    await publishManifest(acme.ctx, tool, { groups: ['notes'], operations: ['GET /people'] }).catch(() => undefined)
    expect(await version('integration.my_tool.people')).toBe('1.0.0')
    await publishManifest(acme.ctx, toolOf({ ...PATHS, '/teams/{id}': get('Teams') }), { groups: ['teams'] })
    expect(await version('integration.my_tool.teams')).toBe('1.1.0')
    await publishManifest(acme.ctx, tool, { groups: ['teams'] })
    expect(await version('integration.my_tool.teams')).toBe('2.0.0')
  })

  test('asks for a selection where a node would be too large', async () => {
    const selection_required = { status: 422, options: { code: 'selection_required' } }
    await expect(publishManifest(acme.ctx, toolOf(many(201)), {})).rejects.toMatchObject(selection_required)
    await expect(publishManifest(acme.ctx, toolOf(many(40, wide)), {})).rejects.toMatchObject(selection_required)
  })
})

test('a publication that loosens waits, and one after it takes a version that is free', async () => {
  const sending = (properties: object) => {
    const schema = { type: 'object', properties }
    return toolOf({
      '/notes': { post: { tags: ['Notes'], requestBody: { content: { 'application/json': { schema } } } } },
    })
  }
  const developer = personIn(acme.ctx.space, ['developer'])
  const publish = async (properties: object) => {
    const { nodes } = await publishManifest(createContext({ ...developer }), sending(properties), {})
    return nodes[0]
  }
  const to = { type: 'string', format: 'email' }
  const inForce = async () =>
    bodyOf(await acme.call(protocol.getManifest, { params: { node_id: 'integration.my_tool.notes' } }), 200).version

  expect(await publish({ to })).toMatchObject({ status: 'registered', version: '1.0.0' })
  const waits = { status: 'pending_approval', execution_id: expect.any(String), approval_id: expect.any(String) }
  const first = await publish({ to: { type: 'string' } })
  expect(first).toMatchObject(waits)
  const second = await publish({})
  expect(second).toMatchObject(waits)
  expect(second?.version).not.toBe(first?.version)
  expect(await inForce()).toBe('1.0.0')
})
