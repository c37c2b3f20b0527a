// Makes the answers of token endpoints what RFC 6749 says. Each rule is for providers that depart from it; the library that reads
// the answers refuses what they send. Pure.
import type { Json } from '../../../base/lib/json.ts'
import { isObject, type JsonMap } from '../openapi/resolve.ts'

export type TokenAnswer = { status: number; text: string }

export function conformed({ status, text }: TokenAnswer): TokenAnswer {
  const body = parsed(text)
  if (!body) return { status, text }
  const { error, ok, access_token } = body
  const isError =
    status >= 400 || isSaid(error) || ok === false || (Object.keys(body).length > 0 && !isSaid(access_token))
  return isError
    ? { status: status >= 400 ? status : 400, text: JSON.stringify(asError(body)) }
    : { status: 200, text: JSON.stringify(asTokens(body)) }
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function parsed(text: string): JsonMap | undefined {
  const value = jsonOf(text)
  if (value !== undefined) return isObject(value) ? value : undefined
  // GitHub's first form of answers, and that of other providers before RFC 6749.
  const form = /^(?:[\w.-]+=[^&\s<>]*)(?:&[\w.-]+=[^&\s<>]*)*$/.test(text.trim())
  return form ? Object.fromEntries(new URLSearchParams(text.trim())) : undefined
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** GitHub and Slack send errors with status 200; others name them by `code`, `errorCode` or `status`, or inside a list. */
function asError(body: JsonMap): JsonMap {
  const { code = 'server_error', words } = saidIn(body)
  return { error: code, ...(words !== undefined && { error_description: words }) }
}

/** What a provider says of its refusal: a code of RFC 6749 or its own, and words for people. */
export type Said = { code: string; words?: string | undefined }

const CODES = ['error', 'code', 'errorCode', 'error_code', 'status', 'type', 'title'] as const
const WORDS = [
  'error_description',
  'message',
  'detail',
  'description',
  'error_message',
  'errorMessage',
  'title',
] as const
const INNER = ['error', 'errors', 'extensions'] as const

/** The outer object is asked first, then what it holds under `error` and `errors`. */
function saidIn(value: unknown, depth = 0): Partial<Said> {
  if (Array.isArray(value)) return saidIn(value[0], depth + 1)
  if (typeof value === 'string' && depth > 0) return { words: value }
  if (!isObject(value) || depth > 3) return {}
  const text = (name: string): string | undefined => {
    const one = value[name]
    return typeof one === 'string' && one !== '' ? one : undefined
  }
  const inner = INNER.map((name) => (typeof value[name] === 'object' ? saidIn(value[name], depth + 1) : {}))
  const code = [...CODES.map(text), ...inner.map((one) => one.code)].find((one) => one !== undefined && one !== 'error')
  const words = [...WORDS.map(text), ...inner.map((one) => one.words)].find((one) => one !== undefined && one !== code)
  return { ...(code !== undefined && { code }), ...(words !== undefined && { words }) }
}

/** Types of Slack that mean what `bearer` does. */
const BEARER = new Set(['bearer', 'bot', 'user'])

const isOther = (type: unknown): boolean => typeof type === 'string' && type !== '' && !BEARER.has(type.toLowerCase())

function asTokens({ id_token: _, ...body }: JsonMap): JsonMap {
  const { token_type, refresh_token, scope, expires_in, ...rest } = body
  const type = typeof token_type === 'string' && token_type !== '' ? token_type.toLowerCase() : 'bearer'
  const seconds = Number(expires_in ?? Number.NaN)
  const words = Array.isArray(scope) ? scope.join(' ') : scope
  return {
    ...rest,
    token_type: BEARER.has(type) ? 'bearer' : token_type,
    ...(typeof refresh_token === 'string' && refresh_token !== '' && { refresh_token }),
    ...(typeof words === 'string' && { scope: words }),
    ...(Number.isFinite(seconds) && seconds > 0 && { expires_in: seconds }),
  }
}

/** Spaces or commas (GitHub, Slack) between scopes; without `scope`, all that were asked for (RFC 6749 §5.1). */
export const scopesIn = (scope: string | undefined, asked: readonly string[]): string[] =>
  scope === undefined ? [...asked] : [...new Set(scope.split(/[\s,]+/).filter(Boolean))]

/** What only says that it may be better later, with any status (RFC 6749 §4.1.2.1). */
const NOT_NOW = 'temporarily_unavailable'

/**
 * The refusal in an answer of a token endpoint. `answer`: as it came, of a status below 500 and other than 429. Undefined where it holds
 * tokens that can be used, says that it may be better later, or is no answer at all. Without a code in a form that is known here, the status is the code.
 */
export function refusalIn(
  answer: TokenAnswer,
  { not_now = [] }: { not_now?: readonly string[] | undefined },
): Said | undefined {
  const { status, text } = answer
  const json = jsonOf(text)
  const body = json === undefined ? parsed(text) : json
  const isPage = body === undefined && text.trim() !== ''
  const type = isObject(body) ? body['token_type'] : undefined
  if (status < 300 && isObject(body) && isSaid(body['access_token']) && isOther(type))
    return { code: 'unsupported_token_type', words: String(type) }
  const isRefused = status >= 300 || isPage || (isObject(body) && conformed(answer).status >= 400)
  if (!isRefused) return undefined
  const { code = `http_${status}`, words } = isPage ? { words: wordsOfPage(text) } : saidIn(body)
  return code === NOT_NOW || not_now.includes(code) ? undefined : { code, ...(words !== undefined && { words }) }
}

/** So much of a page is looked at: enough for its title, and not for the patterns below to take long. */
const PAGE_MAX = 4_096

/** The title of a page, else its text. */
function wordsOfPage(page: string): string {
  const text = page.slice(0, PAGE_MAX)
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? ''
  return title.trim() === ''
    ? text.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replaceAll(/<[^>]*>/g, ' ')
    : title
}

const WORDS_MAX = 300

/** Fit for people: one line, not long, and without the secrets of the request, which some providers repeat. */
export function shownWords(words: string, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((one) => one !== undefined && one !== '')
  const bare = known.reduce<string>((text, secret = '') => text.replaceAll(secret, '…'), words)
  return bare
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, WORDS_MAX)
}

// How asking a provider fails. Apart from the calls, whose library is loaded late.

/** The provider says no, with a code of RFC 6749 or its own. */
export class Refused extends Error {
  readonly code: string
  /** The provider's own, for people. */
  readonly words: string | undefined

  constructor(code: string, words?: string) {
    super(`the provider refuses: ${code}`)
    this.code = code
    this.words = words === '' ? undefined : words
  }
}

/** No answer, or none that can be used. */
export class Unanswered extends Error {}
