import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type OutboundRequest, setTransport } from '../../../../shared/base/lib/safe-http.ts'
import { mustNotBeLeaked } from '../../../../shared/identity/users/leaked-password.ts'

/** SHA-1 of `password` (FIPS 180-4): 5BAA6 1E4C9B93F3F0682250B6CF8331B7EE68FD8. */
const REST = '1E4C9B93F3F0682250B6CF8331B7EE68FD8'
const LIST = 'https://range.example/'

let asked: OutboundRequest[]
let answer: { status: number; text: string } | undefined
beforeEach(() => {
  asked = []
  vi.stubEnv('PASSWORD_RANGE_URL', LIST)
  vi.stubEnv('LOG_LEVEL', 'off')
  setTransport(async (request) => {
    asked.push(request)
    if (!answer) return { kind: 'unanswered', error_class: 'timeout', latency_ms: 1 }
    const body = Buffer.from(answer.text)
    return { kind: 'answer', status: answer.status, headers: {}, body, body_end: 'whole', latency_ms: 1 }
  })
})
afterEach(() => {
  setTransport()
  vi.unstubAllEnvs()
})

describe('a password', () => {
  test('422: that is on the list is refused, and only five digits of its hash left the service', async () => {
    answer = { status: 200, text: `0018A45C4D1DEF81644B54AB7F969B88D65:3\r\n${REST}:9545824\r\n` }

    await expect(mustNotBeLeaked('password', 'new_password')).rejects.toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['body', 'new_password'] }],
    })
    expect(asked.map(({ url }) => url)).toEqual([`${LIST}5BAA6`])
  })

  test.each([
    ['is not on it', { status: 200, text: '0018A45C4D1DEF81644B54AB7F969B88D65:3' }],
    ['is padding', { status: 200, text: `${REST}:0` }],
    ['cannot be looked up', undefined],
    ['is asked of a list that fails', { status: 503, text: `${REST}:1` }],
  ])('that %s may be used', async (_, given) => {
    answer = given

    await expect(mustNotBeLeaked('password')).resolves.toBeUndefined()
  })

  test('goes nowhere when no list is named', async () => {
    vi.stubEnv('PASSWORD_RANGE_URL', '')
    await mustNotBeLeaked('password')

    expect(asked).toEqual([])
  })
})
