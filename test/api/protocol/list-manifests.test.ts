import { describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

describe('GET /api/v1/protocol/manifest', () => {
  test('200: the latest manifest of each node, by node id', async () => {
    const tenant = await governed(local)
    await tenant.register([{ action_id: 'get_contact' }], { version: '1.1.0' })
    await tenant.register([{ action_id: 'get_deal' }], { id: 'crm.deals.editor' })
    const { body } = await tenant.call(protocol.listManifests)

    expect(body).toMatchObject({ total: 2, has_more: false, next_cursor: null })
    expect(body.items).toMatchObject([
      { node_id: NODE_ID, version: '1.1.0', manifest: { node: { version: '1.1.0' } } },
      { node_id: 'crm.deals.editor', version: '1.0.0' },
    ])
    expect((await tenant.as('sandbox').call(protocol.listManifests)).body).toMatchObject({ total: 0, items: [] })
  })
})
