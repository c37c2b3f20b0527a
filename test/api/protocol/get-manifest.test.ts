import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed, manifestOf, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
  await acme.register([{ action_id: 'get_contact' }], { version: '1.10.0' }, { listing_tier: 'production' })
  await acme.register([{ action_id: 'find_contact' }], { version: '1.9.0' })
})

const get = (node_id: string, query: Record<string, string> = {}, as: Pick<Governed, 'call'> = acme) =>
  as.call(protocol.getManifest, { params: { node_id }, query })

describe('GET /api/v1/protocol/manifest/{node_id}', () => {
  test('200: the highest version, as it was registered', async () => {
    const { manifest } = manifestOf([{ action_id: 'get_contact' }], { version: '1.10.0' })

    expect(await get(NODE_ID)).toMatchObject({
      status: 200,
      body: {
        node_id: NODE_ID,
        version: '1.10.0',
        manifest,
        manifest_sha256: expect.stringMatching(/^[\da-f]{64}$/),
        registry: { listing_tier: 'production' },
        registered_by: { type: 'api_key' },
      },
    })
  })

  test('200: the version that is asked for', async () => {
    const { body } = await get(NODE_ID, { version: '1.9.0' })

    expect(body).toMatchObject({ version: '1.9.0', registry: { listing_tier: 'development' } })
    expect(body.manifest.node.endpoints).toEqual([{ action_id: 'find_contact' }])
  })

  test('404: a version that was never registered', async () => {
    expect(await get(NODE_ID, { version: '1.9.1' })).toMatchObject({ status: 404, body: { detail: 'node not found' } })
  })

  test('400: no version', async () => {
    expect(await get(NODE_ID, { version: 'latest' })).toMatchObject({ status: 400 })
  })

  test('200: the node behind agent commands, in its one version', async () => {
    expect(await get('agent.command.runner')).toMatchObject({ status: 200, body: { version: '1.0.0' } })
    expect(await get('agent.command.runner', { version: '1.0.0' })).toMatchObject({ status: 200 })
    expect(await get('agent.command.runner', { version: '9.9.9' })).toMatchObject({ status: 404 })
  })

  test('404: another tenant’s node looks exactly like a missing one', async () => {
    const other = await local.tenant()
    const foreign = await get(NODE_ID, {}, other)
    const missing = await get('a.b.c', {}, other)

    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
    expect((await get(NODE_ID, {}, acme.as('sandbox'))).status).toBe(404)
  })
})
