// The account that an authorisation is for, its address, and its site where the account has several.
import * as z from 'zod'
import { conflict, Failure, unavailable } from '../../base/lib/failure.ts'
import { outbound } from '../../base/lib/safe-http.ts'
import type { Account } from './connection.ts'
import type { KnownConnector } from './known-connector.ts'
import { filled, type Params } from './oauth/client.ts'
import type { Grant } from './oauth/token-endpoint.ts'
import { isObject, member } from './openapi/resolve.ts'

export type Answer = Grant

/** The value at a path of members, in dots. */
export function valueAt(of: unknown, path: string): unknown {
  if (path === '') return of
  return path.split('.').reduce<unknown>((at, name) => (isObject(at) ? member(at, name) : undefined), of)
}

const shortText = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value).slice(0, 256) : undefined

/** The account that the tokens belong to, where the answer of the provider names it. */
export function accountIn({ provider }: KnownConnector, answer: object): Account | undefined {
  const { account } = provider ?? {}
  const id = account && shortText(valueAt(answer, account.id))
  const name = account?.name && shortText(valueAt(answer, account.name))
  return id === undefined ? undefined : { id, ...(name && { name }) }
}

type Place = { params: Params; answer: object; origin?: string | undefined }

/** Throws 400 for an address that the answer names and that is not the provider's. */
export function baseUrlOf({ base_url, provider, name }: KnownConnector, { params, answer, origin }: Place): string {
  if (origin !== undefined) return `${origin}/api`
  if (!base_url.includes('{instance_url}')) return filled(base_url, params)
  const url = URL.parse(shortText(valueAt(answer, 'instance_url')) ?? '')
  const isTheirs = url?.protocol === 'https:' && url.hostname.endsWith(provider?.instance_hosts ?? '\u0000')
  if (!isTheirs)
    throw new Failure('malformed', `${name} names an address that is not its own. Start again.`, {
      code: 'provider_refused',
    })
  return url.origin
}

const Sites = z
  .array(z.object({ id: z.string(), name: z.string().default(''), url: z.string().default('') }))
  .max(1_000)

const DEADLINE_MS = 10_000
const ANSWER_BYTES_MAX = 262_144

type Seeker = { access_token: string; params: Params; origin: string | undefined }

/** The param of the one site, or of the one that `params.site` names. Throws 409 `choose_site` where that says too little. */
export async function siteOf(
  { provider, name }: KnownConnector,
  { access_token, params, origin }: Seeker,
): Promise<Params> {
  const { sites } = provider ?? {}
  if (!sites) return {}
  const answer = await outbound({
    url: origin === undefined ? sites.url : `${origin}/sites`,
    method: 'GET',
    headers: { authorization: `Bearer ${access_token}`, accept: 'application/json' },
    deadlineMs: DEADLINE_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  const known = answer.kind === 'answer' && answer.status === 200 ? parsed(answer.body.toString()) : undefined
  if (!known) throw unavailable(`${name} does not tell its sites. Start again.`, new Error('no sites'))
  const wanted = params['site']?.replace(/\.atlassian\.net$/, '')
  const fitting = known.filter((site) => wanted === undefined || [site.name, hostPart(site.url)].includes(wanted))
  const [only] = fitting
  if (!only || fitting.length > 1)
    throw conflict(
      `Choose a site of ${name}: start again with params.site as one of ${known
        .map((site) => hostPart(site.url) || site.name)
        .slice(0, 20)
        .join(', ')}.`,
      {
        code: 'choose_site',
      },
    )
  return { [sites.param]: only.id }
}

const hostPart = (url: string): string => URL.parse(url)?.hostname.split('.')[0] ?? ''

function parsed(text: string) {
  try {
    return Sites.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
