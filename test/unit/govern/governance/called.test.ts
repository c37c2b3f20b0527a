import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  calledBy,
  readTargetText,
  TARGET_BYTES_MAX,
  targetText,
} from '../../../../shared/govern/governance/decide/policy-facts.ts'
import type { ConnectionTarget } from '../../../../shared/govern/manifests/connection-target.ts'
import { runs } from '../../../support/runs.ts'

const textOf = (url: string) =>
  targetText(calledBy({ target: { type: 'http', url } }) ?? { method: '', host: '', path: '' })

describe('where a target is called', () => {
  test.each([
    ['https://Shop.Example/v1/a b?x=%2F', 'POST shop.example /v1/a%20b?x=%2F'],
    ['https://shop.example:8443', 'POST shop.example:8443 /'],
    ['https://münchen.example/ü', 'POST xn--mnchen-3ya.example /%C3%BC'],
  ])('of %s is %s', (url, text) => {
    expect(textOf(url)).toBe(text)
  })

  test('of a connection has the variables of its path, and a host only where one is known', () => {
    const target: ConnectionTarget = {
      type: 'connection',
      connector_id: 'shop',
      method: 'GET',
      path: '/notes/{id}',
      params: [],
    }

    expect(calledBy({ target })).toEqual({ method: 'GET', host: null, path: '/notes/{id}' })
    expect(calledBy({ target: { ...target, host: 'api.example' } })).toMatchObject({ host: 'api.example' })
    expect(calledBy({})).toBeUndefined()
  })

  test('fits its text, which says the same where it is short, and differs where the target does', () => {
    const called = fc.record({
      method: fc.constantFrom('POST', 'DELETE'),
      host: fc.option(fc.domain()),
      path: fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => `/${text.replaceAll(' ', '')}`),
    })
    fc.assert(
      fc.property(called, called, (one, other) => {
        const [a, b] = [targetText(one), targetText(other)]
        expect(Buffer.byteLength(a)).toBeLessThanOrEqual(TARGET_BYTES_MAX)
        expect(targetText(readTargetText(a))).toBe(a)
        if (a === b) expect(encodeURI(one.path)).toBe(encodeURI(other.path))
      }),
      runs(200),
    )
  })

  test('of long addresses differs in what is cut off', () => {
    const long = `https://shop.example/${'a'.repeat(300)}`

    expect(textOf(long)).toMatch(/^POST shop\.example \/a+#[\da-f]{32}$/)
    expect(textOf(long)).not.toBe(textOf(`${long}b`))
    expect(textOf(`https://${'a.'.repeat(100)}example/`)).not.toBe(textOf(`https://${'a.'.repeat(100)}examples/`))
  })
})
