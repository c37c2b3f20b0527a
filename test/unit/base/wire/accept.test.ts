import { expect, test } from 'vitest'
import { qualityOf, wantsProblem } from '../../../../shared/base/wire/rest-event.ts'

test.each([
  ['application/problem+json', true],
  ['application/json, application/problem+json', true],
  ['APPLICATION/PROBLEM+JSON;Q=0.9, application/json;q=0.8', true],
  ['application/problem+json;q=0.5, application/json', false],
  ['application/problem+json;q=0.5, */*', false],
  ['application/problem+json;q=0.5, */*;q=0.1', true],
  ['application/problem+json;q=1.000, application/json', true],
  ['application/problem+json;q=0', false],
  ['application/problem+json;q=high', false],
  ['text/plain;a="b, application/problem+json;q=1", application/json', false],
  ['application/problem+json;profile="a;q=0,b";q=0.9, application/json;q=0.5', true],
  ['application/problem+json ; q="0.9" , application/json;q=0.8', true],
  ['application/json', false],
  ['*/*', false],
  ['application/*', false],
  ['text/html, application/problem+jsonx', false],
  ['', false],
  [undefined, false],
])('%s asks for problem details: %s', (accept, asks) => {
  expect(wantsProblem(accept)).toBe(asks)
})

test('the most specific range decides', () => {
  const accept = '*/*;q=0.1, application/*;q=0.2, application/json;q=0'

  expect(qualityOf(accept, 'application/json')).toBe(0)
  expect(qualityOf(accept, 'application/xml')).toBe(0.2)
  expect(qualityOf(accept, 'text/plain')).toBe(0.1)
  expect(qualityOf('text/html', 'text/plain')).toBe(0)
})
