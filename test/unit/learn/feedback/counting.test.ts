import { expect, test } from 'vitest'
import { isCounting, verdictOf } from '../../../../shared/learn/feedback/proven-feedback.ts'
import { vote } from '../samples/make.ts'

const asked = { requested_by: { type: 'api_key', id: 'key_1' }, persons: ['ada'] } as const
const given = { rating: 1, created_by: { type: 'user', id: 'cyd' }, persons: ['cyd'], may_decide: true } as const
const request = { requested_by: { ...asked.requested_by }, persons: [...asked.persons] }
const feedback = { ...given, created_by: { ...given.created_by }, persons: ['cyd'] }

test('feedback of a person who could have decided and had nothing to do with it counts', () => {
  expect(isCounting(feedback, request, { votes: [vote()] })).toBe(true)
})

test.each([
  ['of a key', { created_by: { type: 'api_key' as const, id: 'key_2' } }],
  ['of a client', { created_by: { type: 'client' as const, id: 'cli_2' } }],
  ['of somebody who may not decide', { may_decide: false }],
  ['of the requester', { created_by: { type: 'user' as const, id: 'ada' }, persons: ['ada'] }],
  ['that the requester could have given', { persons: ['cyd', 'ada'] }],
  ['of a voter', { created_by: { type: 'user' as const, id: 'ben' }, persons: ['ben'] }],
])('feedback %s does not count', (_, change) => {
  expect(isCounting({ ...feedback, ...change }, request, { votes: [vote()] })).toBe(false)
})

test('the label wins over the rating', () => {
  expect(verdictOf({ rating: -1, label: 'correct' })).toBe('good')
  expect(verdictOf({ rating: 1, label: 'unsafe' })).toBe('bad')
  expect(verdictOf({ rating: 1, label: 'incorrect' })).toBe('bad')
  expect(verdictOf({ rating: 1, label: 'unnecessary' })).toBeUndefined()
  expect([1, 0, -1].map((rating) => verdictOf({ rating: rating as 1 | 0 | -1 }))).toEqual(['good', undefined, 'bad'])
})
