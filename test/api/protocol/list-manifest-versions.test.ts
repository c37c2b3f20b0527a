import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
  await acme.register([{ action_id: 'get_contact' }], { version: '1.10.0' })
  await acme.register([{ action_id: 'get_contact' }], { version: '1.9.0' })
})

describe('GET /api/v1/protocol/manifest/{node_id}/versions', () => {
  const versions = (node_id: string, query: Record<string, string | number> = {}) =>
    acme.call(protocol.listManifestVersions, { params: { node_id }, query })

  test('200: newest first, by number and not by text', async () => {
    const { body } = await versions(NODE_ID)

    expect(body).toMatchObject({ total: 3, has_more: false })
    expect(body.items.map(({ version }: { version: string }) => version)).toEqual(['1.10.0', '1.9.0', '1.0.0'])
    expect(body.items[0]).not.toHaveProperty('manifest')
  })

  test('200: by cursor', async () => {
    const first = await versions(NODE_ID, { limit: 2 })
    const second = await versions(NODE_ID, { limit: 2, cursor: first.body.next_cursor })

    expect(second.body).toMatchObject({ total: 3, has_more: false, items: [{ version: '1.0.0' }] })
    expect(await versions('a.b.c', { cursor: first.body.next_cursor })).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    })
  })

  test('404: an unknown node', async () => {
    expect(await versions('a.b.c')).toMatchObject({ status: 404, body: { detail: 'node not found' } })
  })
})
