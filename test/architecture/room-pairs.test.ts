import { describe, expect, test } from 'vitest'
import { circle, mutualPairs, PAIRS } from './support/room-pairs.ts'
import { parse, readSources } from './support/source.ts'

const OTHER_WAY = parse('shared/govern/tasks/b.ts', `import { a } from '../approvals/a.ts'`)

describe('the rooms of shared/', () => {
  test('import no values of each other, but for the named pairs, each of which is still there', () => {
    expect(mutualPairs(readSources()).toSorted()).toEqual(Object.keys(PAIRS).toSorted())
  })

  test('form no circle, types included', () => {
    expect(circle(readSources())).toBeUndefined()
  })

  test('are found in a circle, however long, of types as of values', () => {
    const sources = [
      parse('shared/base/wire/a.ts', `import type { B } from '../../edge/once/b.ts'`),
      parse('shared/edge/once/b.ts', `import { c } from '../../govern/tasks/c.ts'`),
      parse('shared/govern/tasks/c.ts', `import { a } from '../../base/wire/a.ts'\nimport { d } from './d.ts'`),
    ]
    expect(circle(sources)).toEqual(['base/wire', 'edge/once', 'govern/tasks', 'base/wire'])
    expect(circle(sources.slice(1))).toBeUndefined()
  })

  test.each([
    ['shared/govern/approvals/b.ts', `import { a } from '../tasks/a.ts'`],
    ['shared/govern/approvals/b.ts', `const later = await import('../tasks/a.ts')`],
  ])('are found where they do, in %s: %s', (path, text) => {
    expect(mutualPairs([parse(path, text), OTHER_WAY])).toEqual(['govern/approvals <-> govern/tasks'])
  })

  test('of the evidence are its folders, and a file beside rooms is one, too', () => {
    const sources = [
      parse('shared/ledger/evidence/chain/a.ts', `import { b } from '../verify/b.ts'`),
      parse('shared/ledger/evidence/verify/b.ts', `import { a } from '../chain/a.ts'`),
      parse('shared/base/context.ts', `import { b } from './table/b.ts'`),
      parse('shared/base/table/b.ts', `import { a } from '../context.ts'`),
    ]
    expect(mutualPairs(sources)).toEqual([
      'ledger/evidence/chain <-> ledger/evidence/verify',
      'base/context.ts <-> base/table',
    ])
  })

  test.each([
    ['shared/govern/approvals/b.ts', `import type { A } from '../tasks/a.ts'`],
    ['shared/govern/approvals/b.ts', `import { a } from './a.ts'\nimport { c } from '../executions/c.ts'`],
    ['functions/tasks/b.ts', `import { a } from '../../shared/govern/tasks/a.ts'`],
  ])('may hold in %s: %s', (path, text) => {
    expect(mutualPairs([parse(path, text), OTHER_WAY])).toEqual([])
  })
})
