import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byKind, isStricter, KIND_NAMES, KINDS } from '../../../../shared/base/catalog/kinds.ts'
import { type LexiconWords, policySetVersion } from '../../../../shared/govern/governance/stored-rules.ts'
import { classify, classifyCommand } from '../../../../shared/govern/governance/words/classify.ts'
import { NOUNS, VERBS } from '../../../../shared/govern/governance/words/lexicon.ts'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import { lexiconProblems, lexiconWarnings } from '../../../../shared/govern/governance/words/tenant-words.ts'
import { wordSet } from '../../../../shared/govern/governance/words/words.ts'
import { NODE } from './make.ts'

const lexiconOf = (words: Partial<LexiconWords>): LexiconWords => ({ verbs: {}, nouns: {}, read_nouns: [], ...words })

const underWords = (action_id: string, words: Partial<LexiconWords>, description = '') =>
  classify({
    node: NODE,
    endpoint: { action_id, ...(description && { description }) },
    settings: DEFAULT_SETTINGS,
    lexicon: lexiconOf(words),
  })

describe('a word of a stricter kind', () => {
  test.each(['get_zorb', 'zorb_get', 'getZorb', 'list-users-zorb', 'update_zorb_page'])('raises %s', (name) => {
    expect(underWords(name, { nouns: { payment: ['zorb'] } })).toMatchObject({ kind: 'payment', tier: 'HARD' })
  })

  test('raises where the built-in lexicon knows it as looser', () => {
    expect(underWords('book_room', { verbs: { payment: ['book'] } }).kind).toBe('payment')
    expect(underWords('get_book', { verbs: { payment: ['book'] } }).kind).toBe('payment')
  })

  test('raises by a description if it is a verb, and by a command', () => {
    const words = { verbs: { delete: ['zorbt'] }, nouns: { payment: ['zorb'] } }
    const command = (text: string) =>
      classifyCommand({
        command: text,
        payload: { command: text },
        endpoint: { action_id: 'run' },
        settings: DEFAULT_SETTINGS,
        lexicon: lexiconOf(words),
      })

    expect(underWords('get_page', words, 'Gets a page and zorbt it.').kind).toBe('delete')
    expect(underWords('get_page', words, 'Gets the zorb.').kind).toBe('read')
    expect(command('show the zorb').kind).toBe('payment')
    expect(command('show the page').kind).toBe('read')
  })

  test('may be of any script', () => {
    expect(underWords('get_löhne', { nouns: { payment: ['Löhne'] } }).kind).toBe('payment')
    expect(underWords('get_page', { verbs: { delete: ['削除'] } }, '削除').kind).toBe('delete')
  })
})

describe('a form of a word of a stricter kind', () => {
  const words = { verbs: { delete: ['zorbify'] }, nouns: { payment: ['zorb', 'Löhne', 'Rechnung', 'Schließfach'] } }

  test.each([
    ['get_zorbs', 'payment'],
    ['listZorbs', 'payment'],
    ['get_ZORB', 'payment'],
    ['get_loehne', 'payment'],
    ['get_lohnen', 'payment'],
    ['list_rechnungen', 'payment'],
    ['get_schliessfach', 'payment'],
    ['zorbifies_page', 'delete'],
    ['get_zorbifying_page', 'delete'],
    ['get_zorbital', 'read'],
  ])('%s is %s', (name, kind) => {
    expect(underWords(name, words).kind).toBe(kind)
  })

  test('raises, but explains nothing as a looser kind, and gives way to a word that is listed so', () => {
    expect(underWords('zorbs_users', { verbs: { search: ['zorb'] } }).kind).toBe('unknown')
    const listed = { nouns: { payment: ['zorb'] }, read_nouns: ['zorbs'] }
    expect(underWords('get_zorbs', listed).kind).toBe('read')
    expect(lexiconWarnings(lexiconOf(listed))).toEqual([
      'zorbs looks like a form of zorb, which you list as payment. Other forms of both are read as payment.',
    ])
  })
})

describe('a word of a looser kind', () => {
  test('explains a name that is not understood', () => {
    expect(underWords('zorb_users', {}).kind).toBe('unknown')
    expect(underWords('zorb_users', { verbs: { search: ['zorb'] } })).toMatchObject({ kind: 'search', tier: 'AUTO' })
    expect(underWords('zorb_users', { verbs: { update: ['zorb'] } })).toMatchObject({ kind: 'update', tier: 'SOFT' })
  })

  test('excuses no word that is known, and nothing beside it', () => {
    expect(underWords('zorb_and_delete', { verbs: { read: ['zorb'] } }).kind).toBe('delete')
    expect(underWords('submit_form', { verbs: { read: ['submit'] } }).kind).toBe('unknown')
    expect(lexiconWarnings(lexiconOf({ verbs: { read: ['submit'] } }))).toHaveLength(1)
  })

  test('explains no verb that is written together with another word, and says so', () => {
    const read_nouns = ['deleteuser']
    expect(underWords('deleteuser_users', { read_nouns }).kind).toBe('delete')
    expect(lexiconWarnings(lexiconOf({ read_nouns }))).toEqual([
      'deleteuser is read as delete, which is built in as delete, so read has no effect.',
    ])
  })

  test('never loosens a name that has a built-in word, whatever the lexicon', () => {
    const known = fc.constantFrom(
      ...byKind(VERBS).flatMap(([kind, list]) => [...wordSet(list)].map((word) => [kind, word] as const)),
    )
    const kind = fc.constantFrom(...KIND_NAMES.filter((name) => name !== 'unknown'))
    const words = fc.uniqueArray(fc.constantFrom('zorb', 'user', 'gizmo', 'quux'), { maxLength: 3 })

    fc.assert(
      fc.property(known, kind, words, fc.boolean(), ([built, verb], own, list, asVerb) => {
        const lexicon = asVerb ? { verbs: { [own]: [...list, verb] } } : { nouns: { [own]: [...list, verb] } }
        const before = underWords(`${verb}_user`, {})
        const after = underWords(`${verb}_user`, lexicon)

        expect(isStricter(before.tier, after.tier), `${built} ${verb} as ${own}`).toBe(false)
        expect(isStricter(KINDS[before.kind].classFloor, after.floor)).toBe(false)
      }),
    )
  })
})

describe('what cannot be saved', () => {
  test('a built-in word that needs approval, as a looser kind', () => {
    for (const word of ['delete', 'pay', 'deploy', 'revoke', 'email', 'terminate']) {
      expect(lexiconProblems(lexiconOf({ verbs: { read: [word] } })), word).toHaveLength(1)
      expect(lexiconProblems(lexiconOf({ read_nouns: [word] })), word).toHaveLength(1)
    }
    for (const [, nouns] of byKind(NOUNS)) {
      for (const noun of wordSet(nouns))
        expect(lexiconProblems(lexiconOf({ nouns: { write: [noun] } })), noun).toHaveLength(1)
    }
    expect(lexiconProblems(lexiconOf({ verbs: { payment: ['deploy'] } }))).toEqual([])
  })

  test.each(['a', 'two words', 'x1', 'x'.repeat(41), ''])('%j, which is no word', (word) => {
    expect(lexiconProblems(lexiconOf({ read_nouns: [word] }))).toHaveLength(1)
  })

  test('a word of two kinds, in any spelling, and more than 2,000', () => {
    expect(lexiconProblems(lexiconOf({ verbs: { read: ['Zorb'], update: ['zorb'] } }))).toMatchObject([
      { path: ['verbs', 'update', '0'] },
    ])
    const many = Array.from(
      { length: 2_001 },
      (_, i) => `w${[...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`,
    )
    expect(lexiconProblems(lexiconOf({ read_nouns: many }))).toHaveLength(1)
    expect(lexiconProblems(lexiconOf({ read_nouns: many.slice(1) }))).toEqual([])
  })
})

test('words are part of the policy set version, unless there are none', () => {
  const versionOf = (words?: Partial<LexiconWords>) =>
    policySetVersion([], DEFAULT_SETTINGS, { lexicon: words && lexiconOf(words) })

  expect(versionOf({})).toBe(versionOf())
  expect(versionOf({ read_nouns: ['zorb'] })).not.toBe(versionOf())
})
