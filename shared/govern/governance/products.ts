// The product in the names of a node's actions: the first word that all of them share, or that leads a longer name. It is no verb,
// even where a verb is spelled like it (`compute_disk_update`, `monitor_webtest_create`).
import { attached } from '../../base/lib/memory.ts'
import type { Endpoint } from './endpoint.ts'
import { PRODUCTS, SHARED_READS } from './lexicon-names.ts'
import { tokensOf } from './tokens.ts'
import { wordOf, wordSet } from './words.ts'

const sharedReads = wordSet(SHARED_READS)
const products = wordSet(PRODUCTS)

/** Fewer actions may share a word by chance. */
const ACTIONS_MIN = 3

const kept = attached<readonly Endpoint[], { word: string | undefined }>()

/** The word with which the names of all actions begin, if it is no verb that acts or that can only read. */
function sharedOf(endpoints: readonly Endpoint[]): string | undefined {
  const known = kept.get(endpoints)
  if (known) return known.word
  const [first = '', ...others] = endpoints.map(({ action_id }) => tokensOf(action_id)[0])
  const isShared = endpoints.length >= ACTIONS_MIN && others.every((other) => other === first)
  const word = isShared && (sharedReads.has(first) || wordOf(first) === undefined) ? first : undefined
  kept.set(endpoints, { word })
  return word
}

/** The name of an action without the product that leads it. */
export function withoutProduct(name: string, endpoints: readonly Endpoint[] = []): string {
  const tokens = tokensOf(name)
  const [first = ''] = tokens
  const isProduct = first === sharedOf(endpoints) || (products.has(first) && tokens.length > 2)
  return isProduct && tokens.length > 1 ? name.slice(name.toLowerCase().indexOf(first) + first.length) : name
}

/** What is made by being obtained. */
const MADE = /(?:url|urls|link|links|session|token)$/i
const readingMethods = wordSet('get retrieve fetch find validate calculate list search check view')

/**
 * The name of an operation without the HTTP method that leads it (`post-getTaxForm`, `post-legalEntities-id-checkErrors`): the
 * method is the wire's to judge.
 */
export function withoutMethod(name: string): string {
  const [, rest, last = ''] = /^post-((?:\w{1,60}-){0,12}([a-z]+(?=[A-Z0-9])\w*))$/.exec(name) ?? []
  return rest !== undefined && !MADE.test(rest) && readingMethods.has(tokensOf(last)[0] ?? '') ? rest : name
}
