import { expect, test } from 'vitest'
import { area, get, post, read, NONE } from '../../../../shared/base/wire/route.ts'
import { answersHead, methodsOf } from '../../../../shared/base/wire/head.ts'

const options = { host: 'api', access: 'public', rate: 'none', uses: [], evidence: NONE, summary: '' } as const
const rows = area('things', {
  list: read('/things', { access: 'public', summary: '' }),
  create: post('/things', options),
  open: get('/things/{id}', { ...options, evidence: 'evidence.payload.opened' }),
  visit: get('/link', { ...options, evidence: { none: 'it only moves a slot' } }),
  follow: get('/stream', { ...options, stream: true }),
  authorize: get('/authorize', { ...options, dialect: 'oauth' }),
  tools: get('/tools', { ...options, dialect: 'mcp' }),
  people: get('/people', { ...options, dialect: 'scim' }),
})

test('HEAD is answered where GET only reads', () => {
  expect(Object.values(rows).filter(answersHead)).toEqual([rows.list, rows.people])
})

test('a path names each of its methods once', () => {
  expect(methodsOf([rows.list, rows.create, rows.list])).toEqual(['GET', 'HEAD', 'POST'])
})
