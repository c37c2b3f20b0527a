import { describe, expect, test } from 'vitest'
import { expandTypes } from '../../../../shared/deliver/webhooks/verify.ts'

describe('patterns of event types', () => {
  test('mean every type with the same beginning', () => {
    expect(expandTypes(['webhook.endpoint.*'])).toEqual([
      'webhook.endpoint.error',
      'webhook.endpoint.recovered',
      'webhook.endpoint.disabled',
    ])
    expect(expandTypes(['agent.*'])).toContain('agent.action.triggered')
  })

  test('name each type once', () => {
    expect(expandTypes(['user.login', 'user.mfa.*', 'user.login'])).toEqual(['user.login', 'user.mfa.enabled'])
  })

  test('may stand apart from their commas', () => {
    expect(expandTypes(['user.login', ' user.mfa.* '])).toEqual(['user.login', 'user.mfa.enabled'])
  })

  test('stay a star when one of them is', () => {
    expect(expandTypes(['user.login', '*'])).toEqual(['*'])
  })

  test.each(['action', 'action.x', '.*', 'act*', ''])('that mean no type are refused: %s', (pattern) => {
    expect(() => expandTypes([pattern])).toThrow('matches no event type')
  })
})
