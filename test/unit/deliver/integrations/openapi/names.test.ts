import { describe, expect, test } from 'vitest'
import { sha256Hex } from '../../../../../shared/base/lib/json.ts'
import { nodeIdOf } from '../../../../../shared/deliver/integrations/openapi/names.ts'
import { actionOf, converted } from './document.ts'

const hash = (name: string) => sha256Hex(name).slice(0, 6)

describe('names of actions', () => {
  test.for([
    ['repos/list-for-org', 'repos_list_for_org'],
    ['listPullRequests', 'list_pull_requests'],
    ['getHTTPStatus', 'get_http_status'],
    ['2fa-enable', 'op_2fa_enable'],
    ['', 'get_issues_id'],
    ['日本', 'get_issues_id'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), `${'a'.repeat(57)}_${hash('GET /issues/{id}')}`],
  ])('%s', async ([operationId, action_id]) => {
    expect((await actionOf({ '/issues/{id}': { get: { operationId } } })).endpoint.action_id).toBe(action_id)
  })

  test('that are taken get a hash, whatever is skipped', async () => {
    const get = { operationId: 'Same' }
    const { operations } = await converted({
      '/a': { get: { ...get, parameters: [{ $ref: 'remote' }] } },
      '/b': { get },
    })
    expect(operations.map(({ endpoint }) => endpoint.action_id)).toEqual([`same_${hash('GET /b')}`])
  })
})

describe('groups', () => {
  test.for([
    [['Pull Requests', 'Other'], '/a', 'pull_requests'],
    [[], '/api/v1/{org}/invoices/{id}', 'invoices'],
    [[], '/rest/2.0/apis/v1beta1/Some-Thing', 'some_thing'],
    [['日本'], '/v1/people', 'people'],
    [[], '/v1/{id}', 'api'],
    [['x'.repeat(90)], '/a', 'x'.repeat(63)],
  ] as const)('%j %s', async ([tags, path, group]) => {
    expect((await actionOf({ [path]: { get: { tags } } })).group).toBe(group)
  })

  test('are parts of node ids', () => {
    expect(nodeIdOf('my-own-api', 'pull_requests')).toBe('integration.my_own_api.pull_requests')
  })
})

describe('descriptions', () => {
  test.for([
    [{ summary: ' List <b>all</b> ', description: 'Other.' }, 'List all'],
    [{ description: 'First e.g. sentence. Second one.' }, 'First e.g.'],
    [{ description: 'No end' }, 'No end'],
    [{ summary: 'x'.repeat(2_500) }, 'x'.repeat(2_000)],
    [{}, undefined],
  ] as const)('%#', async ([of, description]) => {
    expect((await actionOf({ '/a': { get: of } })).endpoint.description).toBe(description)
  })
})
