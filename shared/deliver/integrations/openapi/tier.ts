// The lowest tier of an operation. What a document says of itself can raise it and never lower it.
import { isStricter, maxTier, type Tier, TIERS } from '../../../base/catalog/kinds.ts'
import { isGraphqlQuery } from './graphql.ts'
import { member, textAt } from './json-map.ts'
import { wordsOf } from './names.ts'
import type { Operation } from './operations.ts'

const HARD_WORDS = new Set('send mail message invite pay charge refund deploy merge publish delete remove'.split(' '))

export type TierReason = { signal: 'document_tier' | 'method' | 'word'; value: string; floor: Tier }

const isReading = (operation: Operation): boolean =>
  operation.method === 'GET' || operation.method === 'HEAD' || isGraphqlQuery(operation)

/** The words of the id and of the path without its variables, which name values. */
const wordsIn = ({ of, path }: Operation): string[] =>
  wordsOf(`${textAt(of, 'operationId') ?? ''} ${path.replaceAll(/\{[^}]*\}/g, ' ')}`)

/** With a GET, an id that begins so names what is read: `getMessage`. */
const READING_VERBS = new Set('get list read search find fetch retrieve show describe count'.split(' '))

const saysItReads = (operation: Operation): boolean => {
  const [first] = wordsOf(textAt(operation.of, 'operationId') ?? '')
  return isReading(operation) && first !== undefined && READING_VERBS.has(first)
}

/** What such an id may name, besides doing it. */
const NOUNS = new Set('mail message invite charge refund merge'.split(' '))

/** Where something is changed, `POST /charges` means a charge; where it is read, a list of them. */
const hardWord = (operation: Operation): string | undefined =>
  wordsIn(operation).find((word) => {
    if (saysItReads(operation) && NOUNS.has(word)) return false
    return HARD_WORDS.has(word) || (!isReading(operation) && HARD_WORDS.has(word.replace(/s$/, '')))
  })

export function floorsOf(operation: Operation): TierReason[] {
  const { method, of } = operation
  const word = hardWord(operation)
  const given = member(of, 'x-governance-tier')
  const said = TIERS.find((tier) => typeof given === 'string' && tier === given.toUpperCase())
  return [
    ...(method === 'DELETE' ? [{ signal: 'method', value: method, floor: 'HARD' } as const] : []),
    ...(word === undefined ? [] : [{ signal: 'word', value: word, floor: 'HARD' } as const]),
    ...(isReading(operation) || method === 'DELETE'
      ? []
      : [{ signal: 'method', value: method, floor: 'SOFT' } as const]),
    ...(said && isStricter(said, 'AUTO') ? [{ signal: 'document_tier', value: said, floor: said } as const] : []),
  ]
}

/** What an action declares of its tier and kind. */
export function governanceOf(operation: Operation) {
  const tier = maxTier(...floorsOf(operation).map(({ floor }) => floor))
  return {
    idempotency: isReading(operation) || operation.method === 'PUT' || operation.method === 'DELETE',
    ...(isReading(operation) && { kind: 'read' as const }),
    ...(tier === 'HARD' && { approval_required: true, min_tier: tier }),
    ...(tier === 'SOFT' && { min_tier: tier }),
  }
}
