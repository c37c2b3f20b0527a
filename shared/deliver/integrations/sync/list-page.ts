// One page of a list of a provider.
import type { Context } from '../../../base/context.ts'
import { canonicalJson, type Json } from '../../../base/lib/json.ts'
import { outbound } from '../../../base/lib/safe-http.ts'
import type { OpenConnection } from '../../../base/ports/effects.ts'
import type { Model } from '../catalogue/provider.ts'
import { valueAt } from '../account.ts'
import { isObject, type JsonMap } from '../openapi/resolve.ts'

const DEADLINE_MS = 20_000
const ANSWER_BYTES_MAX = 8_388_608
export const PAGE_SIZE = 100
const WAIT_DEFAULT_SECONDS = 30

/** `gone`: the list says that the record was deleted. */
export type ListedRecord = { external_id: string; content: Json; text: string; gone?: boolean }
export type Page = { kind: 'page'; records: ListedRecord[]; next: string | undefined }
export type PageAnswer =
  | Page
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused' }
  | { kind: 'failed'; error_code: string }

export type PageRequest = { model: Model; next: string | undefined; since: string | undefined }

export async function listPage(ctx: Context, connection: OpenConnection, request: PageRequest): Promise<PageAnswer> {
  if (ctx.space.mode === 'test') return samplePage(request.model)
  let answer = await ask(connection, connection.headers, request)
  if (answer.kind === 'answer' && answer.status === 401) {
    const renewed = await connection.renewed()
    if (renewed) answer = await ask(connection, renewed, request)
    if (answer.kind === 'answer' && answer.status === 401) {
      await connection.refused()
      return { kind: 'refused' }
    }
  }
  if (answer.kind !== 'answer') return { kind: 'wait', seconds: WAIT_DEFAULT_SECONDS }
  const { status, headers, body, body_end } = answer
  if (status === 429 || status >= 500) return { kind: 'wait', seconds: waitOf(ctx, headers['retry-after']) }
  if (status !== 200) return { kind: 'failed', error_code: `http_${status}` }
  const read = body_end === 'whole' ? parsed(body.toString()) : undefined
  if (read === undefined) return { kind: 'failed', error_code: 'invalid_answer' }
  if (connection.isError(read)) return { kind: 'failed', error_code: 'provider_error' }
  return pageOf(connection, request, { read, link: headers['link'] })
}

/** Seconds or a date (RFC 9110 §10.2.3), 1 to 900. */
function waitOf(ctx: Context, said: string | undefined): number {
  const seconds = said === undefined ? WAIT_DEFAULT_SECONDS : Number(said)
  const until = Number.isNaN(seconds) ? (Date.parse(said ?? '') - ctx.now()) / 1_000 : seconds
  return Number.isFinite(until) ? Math.min(900, Math.max(1, Math.ceil(until))) : WAIT_DEFAULT_SECONDS
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ask({ base_url }: OpenConnection, headers: OpenConnection['headers'], { model, next, since }: PageRequest) {
  const [method = 'GET', path = ''] = model.list.split(' ')
  const isPost = method === 'POST'
  const body = isPost ? JSON.stringify(bodyAt(model, next)) : undefined
  return outbound({
    url: addressOf(base_url, path, { model, next, since }),
    method: isPost ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      'user-agent': 'Countersign/1.0',
      'accept-encoding': 'identity',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    deadlineMs: DEADLINE_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
}

function addressOf(base: string, path: string, { model, next, since }: PageRequest): string {
  if (model.paging.by === 'link' && next !== undefined) return next
  const url = new URL(base.replace(/\/$/, '') + path)
  for (const [name, value] of Object.entries(model.query ?? {})) url.searchParams.set(name, value)
  if (model.size !== undefined) url.searchParams.set(model.size, String(PAGE_SIZE))
  if (model.since !== undefined && since !== undefined) url.searchParams.set(model.since, since)
  if (next !== undefined && model.paging.by !== 'link' && model.body === undefined)
    url.searchParams.set(model.paging.to, next)
  return url.href
}

type Read = { read: Json; link: string | undefined }

function pageOf(connection: OpenConnection, { model, next }: PageRequest, { read, link }: Read): PageAnswer {
  const items = valueAt(read, model.items)
  if (!Array.isArray(items)) return { kind: 'failed', error_code: 'invalid_answer' }
  const records: ListedRecord[] = []
  for (const item of items) {
    const id = isObject(item) ? item[model.id] : undefined
    if ((typeof id !== 'string' && typeof id !== 'number') || String(id).length > 512) continue
    records.push({ external_id: String(id), content: item, text: canonicalJson(item) })
  }
  const following = nextOf(connection, model, { read, link, done: numberOf(next), count: items.length })
  // A provider that answers the same place for ever would never end.
  return { kind: 'page', records, next: following === next ? undefined : following }
}

type Around = Read & { done: number; count: number }

function nextOf(
  { base_url }: OpenConnection,
  { paging }: Model,
  { read, link, done, count }: Around,
): string | undefined {
  if (paging.by === 'offset') return valueAt(read, paging.more) === true && count > 0 ? String(done + count) : undefined
  if (paging.by === 'cursor') {
    const value = valueAt(read, paging.from)
    return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
  }
  const said = paging.from === undefined ? linkIn(link) : memberAt(read, paging.from)
  const url = said === undefined ? undefined : URL.parse(said, base_url)
  // An answer must not send the credential to another origin than that of the connection.
  return url && url.origin === new URL(base_url).origin ? url.href : undefined
}

/** RFC 8288. */
const linkIn = (header: string | undefined): string | undefined =>
  /<([^<>]+)>\s*;[^,]*\brel="?next"?/.exec(header ?? '')?.[1]

/** A member whose name has dots is at the top level. */
const memberAt = (read: Json, name: string): string | undefined => {
  const value = isObject(read) ? (read as JsonMap)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

const SAMPLES = 25

/** The test mode never leaves the house: the same records each time. */
function samplePage(model: Model): Page {
  const records = Array.from({ length: SAMPLES }, (_, n) => {
    const content = { [model.id]: `sample-${n + 1}`, name: `Sample ${n + 1} of ${model.name}` }
    return { external_id: `sample-${n + 1}`, content, text: canonicalJson(content) }
  })
  return { kind: 'page', records, next: undefined }
}

/** The body of a request: the members that are always sent, with the cursor of the page at its path (in dots). */
function bodyAt({ body = {}, paging }: Model, next: string | undefined): JsonMap {
  if (next === undefined || paging.by === 'link') return body
  return withAt(body, paging.to.split('.'), next)
}

function withAt(of: JsonMap, [name = '', ...rest]: readonly string[], value: string): JsonMap {
  const inner = of[name]
  return { ...of, [name]: rest.length === 0 ? value : withAt(isObject(inner) ? inner : {}, rest, value) }
}

/** An offset as it was handed on; 0 at the start. */
const numberOf = (next: string | undefined): number => Number(next ?? 0) || 0
