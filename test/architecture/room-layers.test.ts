import { describe, expect, test } from 'vitest'
import { EXCEPTIONS, unknownLayers, upward } from './support/room-layers.ts'
import { parse, readSources } from './support/source.ts'

const sources = readSources()
const excepted = EXCEPTIONS.flatMap(({ imports }) => imports)

describe('the layers of shared/', () => {
  test('import values downward only, but for the exceptions, each of which is still needed', () => {
    expect(sources.flatMap(upward).toSorted()).toEqual(excepted.toSorted())
  })

  test('hold every file', () => {
    expect(unknownLayers(sources.map(({ path }) => path))).toEqual([])
    expect(unknownLayers(['shared/attic/a.ts', 'functions/a.ts'])).toEqual(['shared/attic/a.ts'])
  })

  test.each([
    ['shared/base/lib/a.ts', `import { b } from '../../govern/policies/b.ts'`],
    ['shared/ledger/audit/a.ts', `const later = await import('../../edge/b.ts')`],
    ['shared/deliver/webhooks/a.ts', `import { b } from '../../assure/exports/b.ts'`],
  ])('are kept from upward and sideways imports in %s: %s', (path, text) => {
    expect(upward(parse(path, text))).toEqual([expect.stringMatching(/^\w+\/.*a\.ts -> \w+\//)])
  })

  test.each([
    ['shared/govern/policies/a.ts', `import { b } from '../../base/lib/b.ts'`],
    ['shared/govern/policies/a.ts', `import { b } from '../executions/b.ts'`],
    ['shared/base/lib/a.ts', `import type { B } from '../../govern/policies/b.ts'`],
  ])('let pass in %s: %s', (path, text) => {
    expect(upward(parse(path, text))).toEqual([])
  })
})
