import { describe, expect, test } from 'vitest'
import { routes } from '../../functions/api.ts'
import { disagreements, readSpecification, type Specified, unserved } from './support/specification.ts'

const specified = readSpecification()
const thing: Specified = { method: 'POST', path: '/things/{id}', host: 'app' }

describe('the specification', () => {
  test('agrees with the routes in method and host', () => {
    expect(disagreements(specified, routes)).toEqual([])
  })

  test('a route on another host or with other methods only is found', () => {
    expect(disagreements([thing], [{ method: 'POST', path: '/things/{id}', host: 'api' }])).toEqual([
      'POST /things/{id} is not on app',
    ])
    expect(disagreements([thing], [{ method: 'PUT', path: '/things/{id}', host: 'app' }])).toEqual([
      'POST /things/{id} is served as PUT only',
    ])
  })

  test('is served by a route on both hosts, and under another name of a variable', () => {
    const route = { method: 'POST', path: '/things/{name}', host: 'both' } as const

    expect(disagreements([thing], [route])).toEqual([])
    expect(unserved([thing], [route])).toEqual([])
    expect(unserved([thing], [])).toEqual(['POST /things/{id} (app)'])
  })
})
