// The opinion of the wire: the method and the path that the target of an action is called with. Names and descriptions are words of
// an author; the call is the effect. It can raise an action, and as a witness it can say that a call reads. It lowers nothing.
import { KINDS, type Tier } from '../../../base/catalog/kinds.ts'
import type { Endpoint, Method } from '../endpoint.ts'
import { readName } from './names.ts'
import { higherReading, type Reading, readingOf } from './readings.ts'
import { tokensOf } from './tokens.ts'
import { lookUp, type Word, wordOf, wordSet } from './words.ts'

export type Call = {
  method: Method
  /** With variables in braces. */
  path: string
  /** The name of the operation in the API itself. */
  name?: string | undefined
  /** Undefined where the call does not say it: many actions that read send a POST to their address. */
  reads: boolean | undefined
}

export type WireFloor = { signal: 'method' | 'word'; value: string; floor: Tier }

/** The opinion of the wire. `reading`: the kind that an act has by its method and path. */
export type Wire = { reads: boolean | undefined; reading: Reading | undefined; floors: readonly WireFloor[] }

/**
 * Undefined for an action without a target, of which the wire says nothing. `saysItReads`: name and description both read to their
 * end, without which no POST to an API does.
 */
export function wireOf(endpoint: Called, saysItReads = () => false): Wire | undefined {
  const call = callOf(endpoint, saysItReads)
  if (!call) return undefined
  const floors = wireFloors(call)
  return { reads: call.reads, reading: readingBy(call, floors), floors }
}

type Called = Pick<Endpoint, 'action_id' | 'target'>

/** How the target of an action is called; undefined without one. */
function callOf({ action_id, target }: Called, saysItReads: () => boolean): Call | undefined {
  if (!target) return undefined
  if (target.type === 'connection') {
    const { method, path } = target
    const reads = mayRead(target)
    return { method, path, name: action_id, reads: reads === undefined && !saysItReads() ? false : reads }
  }
  const { url, headers = {} } = target
  const method = Object.keys(headers).some((name) => OVERRIDES.test(name)) ? 'DELETE' : (target.method ?? 'POST')
  const { pathname, search } = new URL(url)
  return { method, path: decoded(pathname + search), reads: method === 'POST' ? undefined : false }
}

/** Headers by which servers take another method than that of the call. Their values are stored sealed, so they may say any. */
const OVERRIDES = /^(?:x-)?(?:http-)?method(?:-override)?$/i

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const HARD_WORDS = wordSet('send mail message invite pay charge refund deploy merge publish delete remove')
/** A name that begins so says what is read: `getMessage`. */
const READING_VERBS = wordSet('get list read search find fetch retrieve show describe count')
/** In the name of a thing that is read these may be a part (`merge_requests`). As a whole part of a path, `GET /merge/{id}`, they may do it. */
const NOUNS = wordSet('mail message invite charge refund merge')
/** Of these, one is read at its own address as well (`GET /refund/{id}`), where the name says that it is. */
const READ_BY_ID = wordSet('charge refund')
/**
 * A path that ends so says that a POST to it reads. Without verbs that mark what is read (`/view`), confirm it (`/verify`), or may
 * set up what they show (`/preview`).
 */
const PATH_READS = wordSet(
  'search query find list get lookup count calculate estimate validate compare check explain retrieve describe',
)
/** Parts of a path that say only that something is called. */
const CALLING = wordSet('execute exec run invoke call trigger dispatch process')

const GRAPHQL_QUERY = /^\s*(?:query\b|\{)/

/** Whether a GraphQL document is one query: with a second operation the provider could not know which one is meant. */
export const isGraphqlQuery = (document: string): boolean => GRAPHQL_QUERY.test(document)

/** Whether a call reads, by its method and the document that it sends. */
export const readsBy = (method: Call['method'], graphql?: string): boolean =>
  method === 'GET' || method === 'HEAD' || (graphql !== undefined && isGraphqlQuery(graphql))

/** The words of each part of a path. Variables name values. */
const partsOf = (path: string): string[][] =>
  path
    .replaceAll(/\{[^{}]*\}/g, ' ')
    .split(/[/.:?&=;,]/)
    .map(tokensOf)
    .filter((words) => words.length > 0)

/** Whether the last part of a path names a read, and nothing else (`/orders/search`, but not `/orders/get-or-create`, `/list/{id}`). */
function endsReading(path: string): boolean {
  const words = path.endsWith('}') ? [] : (partsOf(path).at(-1) ?? [])
  if (![words.at(0), words.at(-1)].some((word) => PATH_READS.has(word ?? ''))) return false
  const reading = readName(words.join('_'), { outward: false, described: undefined })
  return reading !== undefined && KINDS[reading.kind].tier === 'AUTO'
}

/**
 * Whether a call of an API reads. Undefined for a POST that sends a question to a path that names one (`POST /orders/search`): its
 * words have to say it, too.
 */
export function mayRead({ method, path, graphql }: Pick<Call, 'method' | 'path'> & { graphql?: string | undefined }) {
  if (readsBy(method, graphql)) return true
  return method === 'POST' && graphql === undefined && endsReading(path) ? undefined : false
}

const beginsReading = ([first = '']: readonly string[]): boolean => READING_VERBS.has(first)

/** The words of a part of a path that reads, without those that only name a thing (`/pay-runs`, `/can-delete`). */
const namedIn = (words: readonly string[]): readonly string[] =>
  lookUp(words).flatMap(({ token }, i, all) => (token.includes(' ') || all[i - 1]?.token === 'can' ? [] : [token]))

/** Where something is changed, `POST /charges` means a charge; where it is read, a list of them. */
function hardWord({ reads, name = '' }: Call, parts: readonly string[][]): string | undefined {
  const own = tokensOf(name)
  const saysItReads = reads === false ? false : beginsReading(own) || (reads === undefined && parts.some(beginsReading))
  const plural = reads !== true && !saysItReads
  const isReadOf = reads === true && own.some((word) => READING_VERBS.has(word) || word === 'check')
  return [own, ...parts]
    .map((words) => (reads === true && (words !== own || isReadOf) ? namedIn(words) : words))
    .flatMap((words) => (saysItReads && words.length > 1 ? words.filter((word) => !NOUNS.has(word)) : words))
    .filter((word) => !(isReadOf && READ_BY_ID.has(word)))
    .find((word) => HARD_WORDS.has(word) || (plural && HARD_WORDS.has(word.replace(/s$/, ''))))
}

/** The lowest tier that method and path allow. */
export function wireFloors(call: Call): WireFloor[] {
  const { method, reads } = call
  const word = hardWord(call, partsOf(call.path))
  return [
    ...(method === 'DELETE' ? [{ signal: 'method', value: method, floor: 'HARD' } as const] : []),
    ...(word === undefined ? [] : [{ signal: 'word', value: word, floor: 'HARD' } as const]),
    ...(reads === false && method !== 'DELETE' ? [{ signal: 'method', value: method, floor: 'SOFT' } as const] : []),
  ]
}

const isAct = (word: Word | undefined): word is Word =>
  word !== undefined &&
  word.verb &&
  !word.noun &&
  word.form === 'plain' &&
  word.kind !== 'unknown' &&
  KINDS[word.kind].tier !== 'AUTO'

/** The act that a part of a path names: its first or its last word can only be a verb (`/terminate-instance`, `/user_disable`). */
function actIn(words: readonly string[]): Reading | undefined {
  const known = lookUp(words.filter((word) => !CALLING.has(word)))
  const act = [known.at(0), known.at(-1)].find((one) => isAct(one?.word))?.word
  return act && readingOf(act)
}

const BY_METHOD: Partial<Record<Call['method'], Reading>> = {
  POST: { kind: 'write', word: 'POST' },
  PUT: { kind: 'update', word: 'PUT' },
  PATCH: { kind: 'update', word: 'PATCH' },
  DELETE: { kind: 'delete', word: 'DELETE' },
}

function readingBy(call: Call, floors: readonly WireFloor[]): Reading | undefined {
  const { method, reads, path } = call
  const hard = floors.find(({ signal }) => signal === 'word')?.value ?? ''
  const named = wordOf(hard) ?? wordOf(hard.replace(/s$/, ''))
  const acts = reads === true ? [] : partsOf(path).map(actIn)
  return [reads === false ? BY_METHOD[method] : undefined, named && readingOf(named), ...acts].reduce<
    Reading | undefined
  >(higherReading, undefined)
}
