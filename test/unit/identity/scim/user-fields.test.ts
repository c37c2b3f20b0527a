import { describe, expect, test } from 'vitest'
import { accountFields } from '../../../../shared/identity/scim/users/fields.ts'

const address = (resource: object) => accountFields({ userName: 'plain', ...resource }).email
const name = (resource: object) => accountFields({ userName: 'plain', ...resource }).name

describe('the address of an account', () => {
  const [home, work, primary] = [
    { value: 'home@a.example', type: 'home' },
    { value: 'work@a.example', type: 'work' },
    { value: 'primary@a.example', primary: true },
  ]

  test.each([
    [{ emails: [home, work, primary] }, 'primary@a.example'],
    [{ emails: [home, work] }, 'work@a.example'],
    [{ emails: [home], userName: 'name@a.example' }, 'name@a.example'],
    [{ emails: [home] }, null],
    [{}, null],
    [{ emails: [{ primary: true, value: 'nothing' }, work] }, 'work@a.example'],
    [{ emails: [{ primary: true }], userName: 'name@a.example' }, 'name@a.example'],
  ])('of %j is %s', (resource, expected) => {
    expect(address(resource)).toBe(expected)
  })
})

describe('the name of an account', () => {
  test.each([
    [{ displayName: 'D', name: { formatted: 'F', givenName: 'G', familyName: 'H' } }, 'D'],
    [{ displayName: ' ', name: { formatted: 'F', givenName: 'G' } }, 'F'],
    [{ name: { givenName: 'G', familyName: 'H' } }, 'G H'],
    [{ name: { familyName: 'H' } }, 'H'],
    [{}, ''],
    [{ displayName: 'A\u0007B\r\nC\u0085' }, 'A B C'],
    [{ displayName: 'x'.repeat(300) }, 'x'.repeat(200)],
    [{ displayName: `${'x'.repeat(199)}😀` }, `${'x'.repeat(199)}\ufffd`],
  ])('of %j is %j', (resource, expected) => {
    expect(name(resource)).toBe(expected)
  })
})
