import { describe, expect, test } from 'vitest'
import { NONE, read } from '../../../../shared/base/wire/route.ts'

const access = 'approvals:read'
const summary = 'Lists things.'

describe('the row of a read', () => {
  test('says what most of them have in common, where it names nothing else', () => {
    expect(read('/things', { access, summary })).toEqual({
      method: 'GET',
      path: '/things',
      host: 'api',
      access,
      rate: 'global',
      uses: [{ table: 'read' }],
      evidence: NONE,
      summary,
    })
  })

  test('keeps what it names', () => {
    const own = { host: 'both', rate: 'none', uses: [], resource: 'thing' } as const

    expect(read('/things/{id}', { ...own, access, summary })).toMatchObject(own)
  })

  test('leaves no evidence, whatever a spread brings along', () => {
    const recorded = { access, summary, evidence: 'manifest.registered' } as const

    expect(read('/things', recorded).evidence).toBe(NONE)
  })
})
