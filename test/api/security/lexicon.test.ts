import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'get_zorb' }, { action_id: 'zorb_users' }])
})

const none = { verbs: {}, nouns: {}, read_nouns: [] }
const params = () => ({ params: { tenant_id: acme.tenant_id } })
const read = () => acme.call(security.getLexicon, params())
const save = (body: object, more: object = {}) =>
  acme.call(security.saveLexicon, { ...params(), body: { ...none, ...body }, ...more })

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
})
