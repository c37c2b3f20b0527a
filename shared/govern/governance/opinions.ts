// Derives the kind of an action from its manifest. Name, description, category and declared kind each give an opinion, and the
// strictest counts. A looser declared kind counts only when a person who may write policies registered it, and never against what
// the target is called with.
import type { Endpoint, Node } from './endpoint.ts'
import type { Reason } from './declared.ts'
import { byKind, higherKind, isHigher, KINDS, type Kind, type Tier } from '../../base/catalog/kinds.ts'
import { readDescription } from './descriptions.ts'
import { CATEGORIES, FINALITY } from './lexicon.ts'
import { explained, readName } from './names.ts'
import { returnsSecret } from './objects.ts'
import { withoutMethod, withoutProduct } from './products.ts'
import { namesChannel, NOT_UNDERSTOOD, type Reading } from './readings.ts'
import type { LexiconWords } from './lexicon-words.ts'
import { compileLexicon, raisedByTenant } from './tenant-words.ts'
import { caselessTokensOf, fold, tokensOf } from './tokens.ts'
import type { Wire } from './wire.ts'
import { type TenantWords, wordSet } from './words.ts'

export type Action = {
  node: Pick<Node, 'id' | 'category'> & Partial<Pick<Node, 'endpoints'>>
  endpoint: Endpoint
  /** A person with `policies:write` registered this version, so its `kind` may be looser than the reading. */
  kindIsVouched?: boolean | undefined
  /** The tenant's own words. */
  lexicon?: LexiconWords | undefined
}

/** The resulting kind. `tiers` holds the tier of each opinion, for the confidence. */
export type Opinions = { kind: Kind; reasons: Reason[]; tiers: Tier[] }

/** Kinds that a registered kind may replace by a looser one, if a person who may write policies registered it. */
const REPLACEABLE: readonly Kind[] = [
  'message_external',
  'execute',
  'permission',
  'secret_read',
  'destructive',
  'update',
  'unknown',
]

const categories = byKind(CATEGORIES).map(([kind, words]) => [kind, wordSet(words)] as const)

/** The kind of a node's category, from `node.category` and the second part of its id. */
function categoryOf({ id, category = '' }: Action['node']): Kind | undefined {
  const words = tokensOf(`${category} ${id.split('.')[1] ?? ''}`)
  const kinds = words.flatMap((word) => categories.find(([, names]) => names.has(word))?.[0] ?? [])
  return kinds.length > 0 ? kinds.reduce(higherKind) : undefined
}

const isFinal = (description: string) => {
  const text = fold(description).toLowerCase().replaceAll('\u2019', "'")
  return FINALITY.some((phrase) => text.includes(phrase))
}

const reasonOf = (signal: string, { kind, word }: Reading): Reason => ({ signal, value: word, floor: KINDS[kind].tier })

/** The first opinion, from the reading of a name or command. */
export const startingFrom = (signal: string, reading: Reading | undefined): Opinions =>
  reading && reading !== NOT_UNDERSTOOD
    ? { kind: reading.kind, reasons: [reasonOf(signal, reading)], tiers: [KINDS[reading.kind].tier] }
    : { kind: 'unknown', reasons: [{ signal: 'unknown_verb', floor: 'HARD' }], tiers: [] }

const isActing = (opinions: Opinions) => KINDS[opinions.kind].tier !== 'AUTO'

function raise(opinions: Opinions, signal: string, to: Reading): void {
  if (!isHigher(to.kind, opinions.kind)) return
  opinions.kind = to.kind
  opinions.reasons.push(reasonOf(signal, to))
}

/** A word of the tenant that is stricter than what was read. */
export function raiseByTenant(opinions: Opinions, to: Reading | undefined): void {
  if (!to) return
  opinions.tiers.push(KINDS[to.kind].tier)
  raise(opinions, 'lexicon', to)
}

/** The words of a name, split where capitals begin and unsplit. */
const namedIn = (name: string) => [...tokensOf(name), ...caselessTokensOf(name)]

function declare(opinions: Opinions, kind: Kind, vouched: boolean): void {
  opinions.tiers.push(KINDS[kind].tier)
  if (vouched && isHigher(opinions.kind, kind) && REPLACEABLE.includes(opinions.kind)) {
    opinions.kind = kind
    opinions.reasons.push(reasonOf('kind', { kind, word: kind }))
  } else raise(opinions, 'kind', { kind, word: kind })
}

const isOpen = (reading: Reading | undefined) => reading === undefined || reading === NOT_UNDERSTOOD

/** The reading of the name. The tenant's words explain it only where no built-in verb does. */
function nameOf(name: string, about: Parameters<typeof readName>[1], tenant: TenantWords | undefined) {
  const reading = readName(name, about)
  return tenant && isOpen(reading) ? (readName(name, { ...about, tenant }) ?? reading) : reading
}

/**
 * Whether the wire says that the action reads: by its method, or by a server that a person who may write policies has vouched
 * for. Undefined where it says nothing.
 */
function wireReads({ endpoint, kindIsVouched }: Action, wire: Wire | undefined): boolean | undefined {
  const isHinted = kindIsVouched === true && endpoint.annotations?.readOnlyHint === true
  return wire?.reads ?? (isHinted ? true : undefined)
}

/** What name and description say. */
function wordsOf({ node, endpoint, lexicon }: Action) {
  const { action_id, description = '' } = endpoint
  const outward = namesChannel(tokensOf(`${action_id} ${node.id} ${description}`))
  const described = readDescription(description, outward)
  const name = withoutProduct(described.reads ? withoutMethod(action_id) : action_id, node.endpoints)
  const about = { outward, described: description === '' ? undefined : described.reads }
  return { described, read: nameOf(name, about, lexicon && compileLexicon(lexicon)) }
}

/** Whether the name reads to its end, and so does every sentence of the description. */
export function saysItReads(action: Action): boolean {
  const { described, read } = wordsOf(action)
  return described.reads && read !== undefined && KINDS[read.kind].tier === 'AUTO'
}

/** Collects the opinions on an action of a manifest. The last is that of the wire, so that no declared kind is looser than the call. */
export function opinionsOn(action: Action, wire?: Wire): Opinions {
  const { node, endpoint, kindIsVouched = false, lexicon } = action
  const { action_id, description = '' } = endpoint
  const { described, read } = wordsOf(action)
  // Where the name says nothing, two others explain it.
  const othersRead = described.reads && wireReads(action, wire) === true
  const isUnread = read === undefined || (KINDS[read.kind].tier !== 'AUTO' && read.kind !== 'secret_read')
  const byOthers = othersRead && isUnread ? explained(action_id) : undefined
  const opinions = startingFrom('verb', byOthers ?? read)
  if (described.vetoes && !isActing(opinions))
    raise(opinions, 'description', { kind: 'unknown', word: 'not understood' })
  if (returnsSecret(endpoint.sandbox_response)) raise(opinions, 'returned', { kind: 'secret_read', word: 'secret' })
  if (described.reading) {
    opinions.tiers.push(KINDS[described.reading.kind].tier)
    raise(opinions, 'description', described.reading)
  }
  if (lexicon) {
    raiseByTenant(opinions, raisedByTenant(lexicon, namedIn(action_id)))
    raiseByTenant(opinions, raisedByTenant(lexicon, tokensOf(description), 'verbs'))
  }
  if (isActing(opinions) && isFinal(description)) {
    raise(opinions, 'description', { kind: 'destructive', word: 'permanent' })
  }
  const category = isActing(opinions) ? categoryOf(node) : undefined
  if (category) {
    opinions.tiers.push(KINDS[category].tier)
    raise(opinions, 'category', { kind: category, word: category })
  }
  if (endpoint.kind) declare(opinions, endpoint.kind, kindIsVouched)
  if (wire?.reading) {
    opinions.tiers.push(KINDS[wire.reading.kind].tier)
    raise(opinions, 'target', wire.reading)
  }
  return opinions
}
