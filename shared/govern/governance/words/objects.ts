// Finds what a reading verb does beyond reading: its object may be a secret, money, or a channel that receives what is read.
import * as lexicon from './lexicon-plain.ts'
import { ACTING_READS, READS_OBJECTS } from './lexicon-names.ts'
import { HANDLE } from './clauses.ts'
import { isChannel, isHard, type Reading } from './readings.ts'
import { byKind } from '../../../base/catalog/kinds.ts'
import { tokensOf } from './tokens.ts'
import { formsOf, type Known, type Word, wordSet } from './words.ts'

const withPlurals = (words: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    [...words].flatMap((word) =>
      formsOf(word).flatMap(([form, name]) => (name === 'plain' || name === 's' ? form : [])),
    ),
  )

const secrets = withPlurals(wordSet(lexicon.SECRETS))
const secretPairs = withPlurals(new Set(lexicon.SECRET_PAIRS.split(/,\s+/)))
const money = wordSet(lexicon.MONEY)
const aboutMoney = wordSet(lexicon.ABOUT_MONEY)
const currencies = wordSet(lexicon.CURRENCIES)
const bearers = withPlurals(wordSet(lexicon.TOKENS))
const obtaining = wordSet(lexicon.OBTAINING)
const publicTokens = wordSet(lexicon.PUBLIC_TOKENS)
const aboutSecrets = wordSet(lexicon.ABOUT_SECRETS)
const ofSecrets = wordSet(lexicon.OF_SECRETS)
const publicKeys = wordSet(lexicon.PUBLIC_KEYS)
const returned = wordSet(lexicon.RETURNED_SECRETS)
const listing = wordSet(lexicon.LISTING)
const namedSecrets = wordSet(lexicon.NAMED_SECRETS)
const magnitudes = wordSet(lexicon.MAGNITUDES)
const comparing = wordSet(lexicon.COMPARING)
const giving = wordSet(lexicon.GIVING)
const towards = wordSet(lexicon.TOWARDS)
const wording = wordSet(lexicon.WORDING)
const worded = wordSet(lexicon.WORDED)
const receivers = wordSet(lexicon.RECEIVERS)
const from = wordSet(lexicon.FROM)

const isNumber = (token = '') => /^\d/.test(token) || magnitudes.has(token)

/** Whether a token is obtained, and not what is said of it (`get_token`, but not `get_token_price` or `get_page_token`). */
function isObtained(verb: Word, words: readonly string[], i: number): boolean {
  const [before = '', after] = [words[i - 1], words[i + 1]]
  const isWhole = after === undefined || from.has(after) || /^(?:value|string|secret)$/.test(after)
  return obtaining.has(verb.lemma) && isWhole && !publicTokens.has(before)
}

/** Whether a key is obtained that opens something (`get_service_key`, but not `get_primary_key` or `get_key`). */
const isKey = (verb: Word, words: readonly string[], i: number): boolean =>
  words[i] === 'key' && i > 1 && isObtained(verb, words, i) && !publicKeys.has(words[i - 1] ?? '')

/**
 * Whether a secret itself is returned, and not what is said of it, its name in a list, or another thing below it
 * (`get_api_credentials_allowed_origins`). In the name of a path `credentials_credential_id` is the credential.
 */
function isSecret(verb: Word, words: readonly string[], i: number): boolean {
  const word = words[i] ?? ''
  const isPair = secretPairs.has(`${word} ${words[i + 1]}`)
  if ((bearers.has(word) && isObtained(verb, words, i)) || isKey(verb, words, i)) return true
  if (!isPair && !secrets.has(word)) return false
  const after = words[i + (isPair ? 2 : 1)]
  // In the path `sessions_session_id` the id says which session.
  if (isPair && /^ids?$/.test(words[i + 1] ?? '') && words.slice(0, i).includes(`${word}s`)) return false
  if (after === 'id' && words.length === i + 2)
    return words.slice(0, i).some((other) => other.replace(/s$/, '') === word)
  const isListed = listing.has(words[i - 1] ?? '') && namedSecrets.has(word) && words.length === i + 1
  return (
    !isListed && (after === undefined || after === verb.lemma || (ofSecrets.has(after) && !aboutSecrets.has(after)))
  )
}

/** Whether a phrase ends with a secret that the verb before it obtains. A token or a pin may be another thing than a secret. */
export function obtainsSecret(verb: Word, phrase: readonly string[]): boolean {
  const [before = '', last = ''] = ['', ...phrase].slice(-2)
  return obtaining.has(verb.lemma) && (secrets.has(last) || secretPairs.has(`${before} ${last}`))
}

const MEMBERS_MAX = 1_000

/** Whether a document that an action returns has a member for a secret. */
export function returnsSecret(document: unknown): boolean {
  const open: unknown[] = [document]
  for (let seen = 0; open.length > 0 && seen < MEMBERS_MAX; seen += 1) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      const [before = '', last = ''] = ['', ...tokensOf(name)].slice(-2)
      if (secretPairs.has(`${before} ${last}`) || (returned.has(last) && !publicTokens.has(before))) return true
      open.push(member)
    }
  }
  return false
}

/** Whether a word is money itself, or the currency of an amount that is not part of a comparison. */
function isMoney(verb: Word, tokens: readonly string[], i: number): boolean {
  const token = tokens[i] ?? ''
  if (money.has(token)) return !aboutMoney.has(tokens[i + 1] ?? '')
  if (!currencies.has(token) || !(isNumber(tokens[i - 1]) || isNumber(tokens[i + 1]))) return false
  return giving.has(verb.lemma) || !tokens.slice(Math.max(0, i - 3), i).some((before) => comparing.has(before))
}

/** Whether a word names somebody outside, who may receive what is read. */
export const isReceiver = (token: string): boolean => receivers.has(token) || token === 'public'

/** Whether a word receives what is read: a channel after a word such as `to`, or a handle that is not a source. */
function receives(verb: Word, words: readonly Known[], i: number): boolean {
  const token = words[i]?.token ?? ''
  if (token === HANDLE) return words.length > 3 && !from.has(words[i - 1]?.token ?? '')
  if (!isChannel(token) && !receivers.has(token)) return false
  const leads = (before: string) => towards.has(before) || (wording.has(verb.lemma) && worded.has(before))
  const at = [i - 1, i - 2, i - 3].find((j) => leads(words[j]?.token ?? ''))
  return at !== undefined && words[at - 1]?.word?.form !== 'ed'
}

function objectOf(verb: Word, words: readonly Known[], tokens: readonly string[], i: number): Reading | undefined {
  const word = words[i]?.word
  if (isSecret(verb, tokens, i)) return { kind: 'secret_read', word: 'secret' }
  if (receives(verb, words, i)) return { kind: 'message_external', word: verb.lemma }
  const isGiven = giving.has(verb.lemma) && verb.form === 'plain' && word !== verb && word?.kind === 'payment'
  return isGiven || isMoney(verb, tokens, i) ? { kind: 'payment', word: verb.lemma } : undefined
}

/** The readings that raise a phrase above its reading verb. */
export function raisedReadings(verb: Word, words: readonly Known[]): Reading[] {
  const tokens = words.flatMap(({ token }) => token.split(' '))
  const plain = tokens.length === words.length ? words : tokens.map((token): Known => ({ token, word: undefined }))
  return tokens.flatMap((_, i) => objectOf(verb, plain, tokens, i) ?? [])
}

const actingReads = new Map(
  Object.entries(ACTING_READS).map(([verb, table]) => [
    verb,
    byKind(table).map(([kind, words]) => [kind, wordSet(words)] as const),
  ]),
)

/** What a reading verb of a name does to some objects (`ping_webhook`, `poll_for_tasks`). `described`: the description reads. */
export function actingRead(verb: Word, words: readonly Known[], described: boolean): Reading | undefined {
  if (described && verb.lemma === 'verify') return undefined
  const [kind] = actingReads.get(verb.lemma)?.find(([, objects]) => words.some(({ token }) => objects.has(token))) ?? []
  return kind && { kind, word: verb.lemma }
}

const readsObjects = new Map(Object.entries(READS_OBJECTS).map(([verb, objects]) => [verb, wordSet(objects)] as const))

/** Whether a name begins with a verb that reads the object it ends with, and acts on others (`resolve_username`). */
export function readsObject(words: readonly Known[]): boolean {
  const [first, ...others] = words
  const objects = readsObjects.get(first?.word?.lemma ?? first?.token ?? '')
  return objects !== undefined && objects.has(others.at(-1)?.token ?? '') && !others.some(({ word }) => isHard(word))
}
