import { expect, test } from 'vitest'
import { routeTree } from '../../../infra/local/route-tree.ts'
import { SURFACE } from '../../../infra/surface.ts'
import { area, get, post, type RouteOptions } from '../../../shared/base/wire/route.ts'

const options: RouteOptions = {
  host: 'api',
  access: 'public',
  rate: 'none',
  uses: [],
  evidence: { none: 'a test' },
  summary: 'A route for tests',
}
const rows = area('things', {
  list: get('/things', options),
  create: post('/things', options),
  get: get('/things/{id}', options),
  types: get('/things/types', options),
  part: get('/things/{id}/parts/{part_id}', options),
})
const find = routeTree(Object.values(rows))

test('variables get their values, still percent-encoded', () => {
  expect(find('GET', '/things/a%2Fb/parts/7')).toEqual({
    path: '/things/{id}/parts/{part_id}',
    route: rows.part,
    values: { id: 'a%2Fb', part_id: '7' },
  })
})

test('a fixed name goes before a variable', () => {
  expect(find('GET', '/things/types')?.route).toBe(rows.types)
  expect(find('GET', '/things/other')?.route).toBe(rows.get)
})

test('a fixed name that leads nowhere gives way to the variable', () => {
  expect(find('GET', '/things/types/parts/7')?.route).toBe(rows.part)
})

test('a known path without this method keeps its path', () => {
  expect(find('DELETE', '/things/7')).toMatchObject({ path: '/things/{id}', route: undefined })
})

test.each(['/', '/thing', '/things//', '/things//parts/7', '/things/7/parts', '//things', '/Things'])(
  '%s is unknown',
  (path) => {
    expect(find('GET', path)).toBeUndefined()
  },
)

test('a slash at the end counts for nothing', () => {
  expect(find('GET', '/things/')).toEqual({ path: '/things', route: rows.list, values: {} })
  expect(find('GET', '/things/7/')).toEqual({ path: '/things/{id}', route: rows.get, values: { id: '7' } })
})

test.each(['api', 'app'] as const)('every route of the %s host is found at its own path', (host) => {
  const routes = SURFACE.routes.filter((route) => route.host === host || route.host === 'both')
  const all = routeTree(routes)

  for (const route of routes) expect(all(route.method, route.path)?.route).toBe(route)
})
