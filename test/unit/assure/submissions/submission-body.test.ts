import { describe, expect, test } from 'vitest'
import { FILE_BYTES_MAX, SubmissionBody } from '../../../../shared/assure/submissions/submission-body.ts'

const file = { name: 'q3.pdf', content_type: 'application/pdf', sha256: 'a'.repeat(64), size: 3 }
const sources = {
  file: { file },
  url: { url: 'https://wiki.example/reviews/q3' },
  statement: { statement: 'All accounts were reviewed.' },
  artifact: { artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V' },
}
const controls = [{ framework_id: 'soc2', control_id: 'CC6.3' }]
const given = { kind: 'report', title: 'Q3', control_refs: controls, source: 'statement', ...sources.statement }

const problems = (body: object) =>
  SubmissionBody.safeParse(body).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []

describe('the source', () => {
  test.each(Object.entries(sources))('%s is told in its own member', (source, member) => {
    expect(problems({ ...given, statement: undefined, ...member, source })).toEqual([])
  })

  test.each(Object.keys(sources))('%s needs its member', (source) => {
    expect(problems({ ...given, statement: undefined, source }).join()).toContain('is needed by this source')
  })

  test('takes no member of another', () => {
    expect(problems({ ...given, ...sources.url })).toEqual(['url does not belong to this source'])
  })
})

describe('a file', () => {
  const withFile = (over: object) =>
    problems({ ...given, statement: undefined, source: 'file', file: { ...file, ...over } })

  test.each([
    { size: 0 },
    { size: FILE_BYTES_MAX + 1 },
    { size: 1.5 },
    { sha256: 'A'.repeat(64) },
    { sha256: 'a'.repeat(63) },
    { content_type: 'pdf' },
    { content_type: 'text/html\r\nx-amz-acl: public-read' },
    { name: 'a\nb' },
  ])('is refused with %j', (over) => {
    expect(withFile(over)).toHaveLength(1)
  })

  test.each([{ size: FILE_BYTES_MAX }, { content_type: 'text/csv; charset=utf-8' }])('may have %j', (over) => {
    expect(withFile(over)).toEqual([])
  })
})

test.each([
  [{ control_refs: [] }],
  [{ covers: { from: '2026-07-01', to: '2026-06-30' } }],
  [{ covers: { from: '2026-02-29', to: '2026-06-30' } }],
  [{ kind: 'not_applicable_justification', statement: 'Not ours, we say so' }],
  [{ kind: 'not_applicable_justification', ...sources.url, source: 'url', statement: undefined }],
  [{ control_refs: [{ framework_id: 'soc3', control_id: 'CC6.3' }] }],
  [{ collected_at: '2026-11-20T10:00:00Z', valid_until: '2026-11-20T11:00:00+01:00' }],
  [{ valid_until: 'next year' }],
])('%j is refused', (over) => {
  expect(problems({ ...given, ...over })).toHaveLength(1)
})

test.each([
  [{ kind: 'not_applicable_justification', statement: 'We develop no software here.' }],
  [{ covers: { from: '2026-07-01', to: '2026-07-01' } }],
])('%j is good', (over) => {
  expect(problems({ ...given, ...over })).toEqual([])
})

test('times are kept in UTC', () => {
  expect(SubmissionBody.parse({ ...given, collected_at: '2026-11-20T11:00:00+01:00' })).toMatchObject({
    collected_at: '2026-11-20T10:00:00.000Z',
  })
})
