import { expect, test } from 'vitest'
import { asDomains, hostOf, isInside } from '../../../../shared/govern/governance/domains.ts'

test.each([
  ['ann@Acme.Example', 'acme.example'],
  ['acme.example.', 'acme.example'],
  ['https://acme.example:8443/x?y=@evil.example', 'acme.example'],
  ['ann@müller.example', 'xn--mller-kva.example'],
  ['http://0x7f.1/', '127.0.0.1'],
])('%j speaks of %s', (address, host) => {
  expect(hostOf(address)).toBe(host)
})

test.each([
  'https://acme.example@evil.example/',
  'https://evil.example\\@acme.example/',
  'evil.example/@acme.example',
  'evil.example?@acme.example',
  'ann@acme.example evil',
  'java\tscript://acme.example',
  '@acme.example',
  'ann@evil@acme.example',
  '://acme.example',
  '',
])('%j can be read in two ways, so it is not read', (address) => {
  expect(hostOf(address)).toBeUndefined()
})

test.each([
  ['acme.example', true],
  ['eu.acme.example', true],
  ['notacme.example', false],
  ['acme.example.evil.example', false],
  ['example', false],
])('%s lies in acme.example: %s', (host, inside) => {
  expect(isInside(host, asDomains(['.ACME.example']))).toBe(inside)
})
