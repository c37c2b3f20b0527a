import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { routes } from '../../functions/api.ts'
import { workers } from '../../functions/workers.ts'
import { PERMISSIONS } from '../../shared/base/catalog/permissions.ts'
import { EVENT_TYPES } from '../../shared/base/catalog/event-types.ts'
import { ARTIFACT_TYPES } from '../../shared/base/catalog/artifact-types.ts'
import { QUEUE_NAMES } from '../../shared/base/catalog/queues.ts'
import { area, get, type Route, type RouteOptions } from '../../shared/base/wire/route.ts'
import { ROOT } from './support/source.ts'
import { ids, places, prefixFits, rowsAndFiles, unexplained, unknownNames } from './support/surface.ts'

const rows = [...routes, ...Object.values(workers)]
const files = globSync('functions/*/*.ts', { cwd: ROOT }).filter((file) => !/\/(routes|examples)\.ts$/.test(file))
const known = { permissions: Object.keys(PERMISSIONS), artifacts: ARTIFACT_TYPES, events: EVENT_TYPES }

const options: RouteOptions = {
  host: 'api',
  access: 'approvals:read',
  rate: 'global',
  uses: [],
  evidence: { none: 'reads change nothing' },
  summary: '',
}
const { sample } = area('things', { sample: get('/things/{id}', options) })

describe('rows and files', () => {
  test('each row has its file and each file its row', () => {
    expect(rowsAndFiles(rows, files)).toEqual([])
  })

  test('a row without a file and a file without a row are found', () => {
    expect(rowsAndFiles([sample], ['functions/things/other.ts'])).toEqual([
      'functions/things/sample.ts is missing',
      'functions/things/other.ts has no row',
    ])
  })
})

test('each queue has one worker that reads it', () => {
  const read = Object.values(workers).flatMap(({ trigger }) => ('queue' in trigger ? [trigger.queue] : []))

  expect(read.toSorted()).toEqual([...QUEUE_NAMES].toSorted())
})

describe('ids', () => {
  test('are unique and short enough for whole function names', () => {
    expect(ids(rows)).toEqual([])
    expect(prefixFits('countersign')).toBe(true)
  })

  test('that repeat or are too long are found', () => {
    const long = { ...sample, id: 'x'.repeat(41) }

    expect(ids([sample, sample, long])).toEqual([
      'things-sample is used twice',
      `${long.id} is longer than 40 characters`,
    ])
    expect(prefixFits('x'.repeat(24))).toBe(false)
  })
})

describe('method, path and host', () => {
  test('name one route', () => {
    expect(places(routes)).toEqual([])
  })

  test('of two routes are found, whatever they call their variables and whichever host both serve', () => {
    const other = { ...sample, path: '/things/{name}', host: 'both' as const }

    expect(places([sample, other])).toEqual(['GET api:/things/{} is served twice'])
    expect(places([sample, { ...other, host: 'app' }])).toEqual([])
  })
})

describe('names in routes', () => {
  test('of permissions, artifacts and events are in their tables', () => {
    expect(routes.flatMap((route) => unknownNames(route, known))).toEqual([])
  })

  test('that no table holds are found', () => {
    const stray = { ...sample, access: 'things:read', evidence: ['thing.made'], emits: ['thing.made'] }

    // A row that the compiler would have refused.
    expect(unknownNames(stray as unknown as Route, known)).toEqual([
      'things-sample names things:read',
      'things-sample names thing.made',
      'things-sample names thing.made',
    ])
  })

  test('a row that leaves no evidence says why', () => {
    expect(rows.flatMap(unexplained)).toEqual([])
    expect(unexplained({ ...sample, evidence: { none: 'no' } })).toEqual(['things-sample says no reason'])
  })
})
