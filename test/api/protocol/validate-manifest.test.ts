import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { BROKERED, bodyOf, type Governed, governed, manifestOf, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

describe('POST /api/v1/protocol/manifest/validate', () => {
  test('200: says what registration would say, and stores nothing', async () => {
    const body = manifestOf(BROKERED, { version: '1.1.0' })
    const validated = await acme.call(protocol.validateManifest, { body })

    expect(validated.status).toBe(200)
    expect(
      await acme.call(protocol.getManifest, { params: { node_id: NODE_ID }, query: { version: '1.1.0' } }),
    ).toMatchObject({
      status: 404,
    })
    const { actions, warnings } = bodyOf(await acme.call(protocol.registerManifest, { body }), 201)
    expect(validated.body).toEqual({ valid: true, actions, warnings })
  })

  test('200: a version that exists is still valid', async () => {
    expect(await acme.call(protocol.validateManifest, { body: manifestOf(BROKERED) })).toMatchObject({ status: 200 })
  })

  test('400: names what is missing', async () => {
    expect(await acme.call(protocol.validateManifest, { body: {} })).toMatchObject({
      status: 400,
      body: { detail: 'You left out required fields: manifest. Send them.', code: 'missing_field' },
    })
  })

  test('422: lists every violation', async () => {
    const body = manifestOf([{ action_id: '1st' }, { action_id: 'a', kind: 'nonsense' }], { name: '' })
    const reply = await acme.call(protocol.validateManifest, { body })

    expect(reply.status).toBe(422)
    expect(reply.body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(3).join('.'))).toEqual([
      'name',
      'endpoints.0.action_id',
      'endpoints.1.kind',
    ])
  })
})
