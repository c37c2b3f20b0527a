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

/** With a GET, an id that begins so names what is read: `getMessage`. */
const READING_VERBS = new Set('get list read search find fetch retrieve show describe count'.split(' '))
/** Of what is read, these may be a part of a name: `merge_requests`. As a whole part of a path, `GET /merge/{id}`, they may do it. */
const NOUNS = new Set('mail message invite charge refund merge'.split(' '))

const saysItReads = (operation: Operation): boolean => {
  const [first] = wordsOf(textAt(operation.of, 'operationId') ?? '')
  return isReading(operation) && first !== undefined && READING_VERBS.has(first)
}

/** The words of the id and of each part of the path. Variables name values. */
const namesIn = ({ of, path }: Operation): string[][] =>
  [textAt(of, 'operationId') ?? '', ...path.replaceAll(/\{[^}]*\}/g, ' ').split(/[/.:]/)].map(wordsOf)

/** Where something is changed, `POST /charges` means a charge; where it is read, a list of them. */
function hardWord(operation: Operation): string | undefined {
  const reads = saysItReads(operation)
  return namesIn(operation)
    .flatMap((words) => (reads && words.length > 1 ? words.filter((word) => !NOUNS.has(word)) : words))
    .find((word) => HARD_WORDS.has(word) || (!isReading(operation) && HARD_WORDS.has(word.replace(/s$/, ''))))
}

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
