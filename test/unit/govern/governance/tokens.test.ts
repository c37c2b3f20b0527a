import { expect, test } from 'vitest'
import { caselessTokensOf, mixesScripts, tokensOf } from '../../../../shared/govern/governance/words/tokens.ts'

test.each([
  ['getUserProfile', ['get', 'user', 'profile']],
  ['get_user_profile', ['get', 'user', 'profile']],
  ['get-user.profile', ['get', 'user', 'profile']],
  ['GET_USER_PROFILE', ['get', 'user', 'profile']],
  ['getHTTPResponse', ['get', 'http', 'response']],
  ['delete2', ['delete', '2']],
  ['v2:list', ['v', '2', 'list']],
])('%s is split into %j', (name, tokens) => {
  expect(tokensOf(name)).toEqual(tokens)
})

test.each([
  ['de\u200blete', 'a zero-width space'],
  ['de\u00adlete', 'a soft hyphen'],
  ['\u202edelete\u202c', 'a bidi override'],
  ['dele\ufe0fte', 'a variation selector'],
  ['d\u0336elete', 'a combining stroke'],
  ['ｄｅｌｅｔｅ', 'full-width letters'],
  ['𝐝𝐞𝐥𝐞𝐭𝐞', 'mathematical letters'],
  ['dèlete', 'an accent'],
])('%j reads as delete in spite of %s', (name) => {
  expect(tokensOf(name)).toEqual(['delete'])
})

test('without camelCase, capitals hide no word', () => {
  expect(caselessTokensOf('dElEtE_uSeR')).toEqual(['delete', 'user'])
})

test.each([
  ['dеlete', true], // Cyrillic е
  ['delete αλλ', false], // one script in each word
  ['dεlete', true], // Greek ε
  ['ԁelete', true], // Komi ԁ
  ['Python入門', false],
  ['データList', false],
  ['résumé', false],
  ['latency in µs', false],
  ['delete user', false],
  ['dе\u200blete', true],
])('%j mixes look-alike scripts in one word: %s', (text, mixed) => {
  expect(mixesScripts(text)).toBe(mixed)
})
