import { expect, test } from 'vitest'
import { byKind } from '../../../../shared/base/catalog/kinds.ts'
import { ALSO_ADJECTIVES, ALSO_NOUNS, NOUNS, VERBS } from '../../../../shared/govern/governance/words/lexicon.ts'
import { formsOf, lookUp, wordSet } from '../../../../shared/govern/governance/words/words.ts'

const lemmaOf = (token: string) => lookUp([token])[0]?.word?.lemma

test.each([
  ['deletes', 'delete'],
  ['deleting', 'delete'],
  ['deleted', 'delete'],
  ['copies', 'copy'],
  ['copied', 'copy'],
  ['publishes', 'publish'],
  ['stopped', 'stop'],
  ['cancelling', 'cancel'],
  ['canceling', 'cancel'],
  ['paying', 'pay'],
  ['pays', 'pay'],
  ['payments', 'payment'],
])('%s is a form of %s', (token, lemma) => {
  expect(lemmaOf(token)).toBe(lemma)
})

test.each([
  [['get', 'rid', 'of'], 'get rid'],
  [['tearing', 'down'], 'tear down'],
  [['checks', 'out'], 'check out'],
  [['signs', 'off'], 'sign off'],
  [['take', 'down'], 'take down'],
  [['roll', 'back'], 'roll back'],
  [['write', 'off'], 'write off'],
  [['hand', 'over'], 'hand over'],
  [['teardown'], 'teardown'],
])('%j is looked up as one verb', (tokens, lemma) => {
  expect(lookUp(tokens)[0]?.word?.lemma).toBe(lemma)
})

test('no verb stands in two rows of the lexicon', () => {
  const verbs = byKind(VERBS).flatMap(([, words]) => [...wordSet(words)])

  expect(verbs.filter((verb, i) => verbs.indexOf(verb) !== i)).toEqual([])
})

test('every noun-like or adjective-like verb is a verb of the lexicon, in one list only', () => {
  const verbs = new Set(byKind(VERBS).flatMap(([, words]) => [...wordSet(words)]))

  expect([...wordSet(ALSO_NOUNS), ...wordSet(ALSO_ADJECTIVES)].filter((word) => !verbs.has(word))).toEqual([])
  expect([...wordSet(ALSO_NOUNS)].filter((word) => wordSet(ALSO_ADJECTIVES).has(word))).toEqual([])
})

test('the plain spelling of every word is its own lemma', () => {
  for (const [, words] of [...byKind(VERBS), ...byKind(NOUNS)]) {
    for (const word of wordSet(words)) expect(lemmaOf(word)).toBe(word)
  }
})

test('forms of a word that ends in a hissing sound take -es', () => {
  expect(formsOf('push').map(([form]) => form)).toContain('pushes')
})
