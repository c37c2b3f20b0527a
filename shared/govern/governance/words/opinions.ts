// Derives the kind of an action from its manifest. Name, description, category and declared kind each give an opinion, and the
// strictest counts. A looser declared kind counts only when a person who may write policies registered it, and never against the call
// of the target. The opinions of a manifest are kept with its action, so that a request pays for its payload only.
import type { Endpoint, Node } from '../endpoint.ts'
import { type DeclaredRole, declaredRoles, hard, type Reason, requiresCommand } from '../payload/declared.ts'
import { byKind, higherKind, isHigher, type Kind, KINDS, type Tier } from '../../../base/catalog/kinds.ts'
import { readDescription } from './descriptions.ts'
import { CATEGORIES, FINALITY } from './lexicon.ts'
import { explained, readName } from './names.ts'
import { returnsSecret } from './objects.ts'
import { namesChannel, NOT_UNDERSTOOD, type Reading } from './readings.ts'
import type { LexiconWords } from '../stored-rules.ts'
import { compileLexicon, raisedByTenant } from './tenant-words.ts'
import { caselessTokensOf, fold, mixesScripts, tokensOf } from './tokens.ts'
import { type Wire, type WireFloor, wireOf } from './wire.ts'
import { type TenantWords, wordOf, wordSet } from './words.ts'
import { attached } from '../../../base/lib/memory.ts'
import { PRODUCTS, SHARED_READS } from './lexicon-names.ts'

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

/** What the manifest alone says of an action. */
export type Known = {
  opinions: Opinions
  spelling: Reason[]
  roles: readonly DeclaredRole[]
  /** The floors that method and path of the target set. */
  wire: readonly WireFloor[]
}

/** An action keeps it as long as it is in memory, because versions of manifests never change. */
const known = attached<Endpoint, Known & Pick<Action, 'node' | 'kindIsVouched' | 'lexicon'>>()

export function knownOf(action: Action): Known {
  const { node, endpoint, kindIsVouched, lexicon } = action
  const before = known.get(endpoint)
  if (before && before.node === node && before.kindIsVouched === kindIsVouched && before.lexicon === lexicon)
    return before
  const roles = declaredRoles(endpoint.input_schema)
  const wire = wireOf(endpoint, () => saysItReads(action))
  const fresh = {
    node,
    kindIsVouched,
    lexicon,
    opinions: opinionsOn(action, wire),
    wire: wire?.floors ?? [],
    spelling: [
      ...hard('mixed_script', mixesScripts(`${endpoint.action_id} ${endpoint.description ?? ''}`)),
      ...hard('command_input', requiresCommand(endpoint.input_schema, roles)),
    ],
    roles,
  }
  known.set(endpoint, fresh)
  return fresh
}

/** Collects the opinions on an action of a manifest. The last is that of the wire, so that no declared kind is looser than the call. */
function opinionsOn(action: Action, wire?: Wire): Opinions {
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
function saysItReads(action: Action): boolean {
  const { described, read } = wordsOf(action)
  return described.reads && read !== undefined && KINDS[read.kind].tier === 'AUTO'
}

const sharedReads = wordSet(SHARED_READS)
const products = wordSet(PRODUCTS)

/** Fewer actions may share a word by chance. */
const ACTIONS_MIN = 3

const sharedWords = attached<readonly Endpoint[], { word: string | undefined }>()

/** The word with which the names of all actions begin, if it is no verb that acts or that can only read. */
function sharedOf(endpoints: readonly Endpoint[]): string | undefined {
  const found = sharedWords.get(endpoints)
  if (found) return found.word
  const [first = '', ...others] = endpoints.map(({ action_id }) => tokensOf(action_id)[0])
  const isShared = endpoints.length >= ACTIONS_MIN && others.every((other) => other === first)
  const word = isShared && (sharedReads.has(first) || wordOf(first) === undefined) ? first : undefined
  sharedWords.set(endpoints, { word })
  return word
}

/**
 * The name of an action without the product that leads it: the first word that all names of the node share, or that leads a longer name.
 * It is no verb, even where a verb is spelled like it (`compute_disk_update`, `monitor_webtest_create`).
 */
function withoutProduct(name: string, endpoints: readonly Endpoint[] = []): string {
  const shared = sharedOf(endpoints)
  const leads = ([first = '', ...others]: readonly string[]) =>
    others.length > 0 && (first === shared || (products.has(first) && others.length > 1)) ? first : undefined
  const product = leads(tokensOf(name)) ?? leads(caselessTokensOf(name)) // unusual capitals do not hide it
  const visible = fold(name)
  return product === undefined ? name : visible.slice(visible.toLowerCase().indexOf(product) + product.length)
}

/** What is made by being obtained. */
const MADE = /(?:url|urls|link|links|session|token)$/i
const readingMethods = wordSet('get retrieve fetch find validate calculate list search check view')

/**
 * The name of an operation without the HTTP method that leads it (`post-getTaxForm`, `post-legalEntities-id-checkErrors`): the
 * method is the wire's to judge.
 */
function withoutMethod(name: string): string {
  const [, rest, last = ''] = /^post-((?:\w{1,60}-){0,12}([a-z]+(?=[A-Z0-9])\w*))$/.exec(name) ?? []
  return rest !== undefined && !MADE.test(rest) && readingMethods.has(tokensOf(last)[0] ?? '') ? rest : name
}
