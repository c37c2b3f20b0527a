import { beforeAll, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { bodyOf, type Governed, governed, manifestOf } from '../../support/governed.ts'
import { modern } from '../../support/mcp.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'get_zorb' }, { action_id: 'zorb_users' }])
  owner = await ownerInPerson(local, acme)
})

const none = { verbs: {}, nouns: {}, read_nouns: [] }
const params = () => ({ params: { tenant_id: acme.tenant_id } })
const read = () => acme.call(security.getLexicon, params())
const save = (body: object, more: object = {}) =>
  owner.call(security.saveLexicon, { ...params(), body: { ...none, ...body }, ...more })

describe('/api/v1/security/tenants/{tenant_id}/lexicon', () => {
  test('none was saved yet', async () => {
    expect(await read()).toMatchObject({ status: 200, body: { ...none, version: 0 } })
  })

  test('a dry run counts what past executions would become, and stores nothing', async () => {
    expect((await acme.execute('get_zorb')).status).toBe(200)

    const tried = await save({ nouns: { payment: ['zorb'] } }, { query: { dry_run: 'true', replay: '10' } })

    expect(tried).toMatchObject({ status: 200, body: { valid: true, replay: { by_change: { 'AUTO->HARD': 1 } } } })
    expect((await read()).body.version).toBe(0)
  })

  test('words are in force from the next request on, with their evidence', async () => {
    expect((await acme.execute('zorb_users')).status).toBe(202)

    const events = await acme.told(async () => {
      const saved = await save({ verbs: { search: ['Zorb'] }, nouns: {} })
      expect(saved).toMatchObject({ status: 200, body: { version: 1, verbs: { search: ['zorb'] } } })
      expect(saved.headers.etag).toBe('"v1"')
    })

    expect(events.map(({ type }) => type)).toContain('policy.updated')
    expect((await acme.execute('zorb_users')).status).toBe(200)
    expect((await save({ nouns: { payment: ['zorb'] } }, { headers: { 'If-Match': '"v1"' } })).status).toBe(200)
    expect((await acme.execute('get_zorb')).status).toBe(202)
  })

  test('409 for a former version, 422 for words that would loosen built-in ones', async () => {
    expect(await save({}, { headers: { 'If-Match': '"v1"' } })).toMatchObject({ status: 409 })
    const refused = await save({ verbs: { read: ['delete'] } })
    expect(refused.status).toBe(422)
    expect(refused.body.detail).toMatchObject([{ loc: ['body', 'verbs', 'read', '0'] }])
    expect((await save({ verbs: { unknown: ['zorb'] } })).status).toBe(422)
  })

  test('policies saved afterwards keep the words in force', async () => {
    await acme.policy({ name: 'nothing', effect: 'forbid', scope: { action_ids: ['nothing'] } })

    expect((await acme.execute('get_zorb')).status).toBe(202)
  })

  test('whoever looks at an action before it is requested sees what the words make of it', async () => {
    const body = manifestOf([{ action_id: 'get_zorb' }], { version: '2.0.0' })
    const validated = bodyOf(await acme.call(protocol.validateManifest, { body }), 200)
    const { tools } = (await modern(acme, 'tools/list')).body.result
    const openapi = JSON.stringify({
      openapi: '3.1.0',
      paths: { '/zorb': { get: { operationId: 'getZorb', tags: ['a'] } } },
    })
    const connector = { id: 'zorb', name: 'Zorb', base_url: 'https://zorb.example', auth: { type: 'bearer' }, openapi }
    bodyOf(await acme.call(integrations.createConnector, { body: connector }), 201)
    const published = bodyOf(await acme.call(integrations.getManifest, { params: { id: 'zorb' } }), 200)

    expect(validated.actions).toMatchObject([{ kind: 'payment', tier: 'HARD' }])
    expect(tools.find(({ name }: { name: string }) => name.endsWith('get_zorb'))).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true },
      _meta: { 'countersign/tier': 'HARD' },
    })
    expect(published.actions).toMatchObject([{ kind: 'payment', tier: 'HARD' }])
  })
})
