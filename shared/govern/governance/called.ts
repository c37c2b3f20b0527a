// Where a target is called: method, host and path. As one short text it stands in an approval, which binds it.
import * as z from 'zod'
import { sha256, sha256Hex } from '../../base/lib/hash.ts'
import type { Endpoint } from './endpoint.ts'

export const Called = z.object({
  method: z.string().describe('HTTP method of the call.'),
  /** With its port. Null for a connection whose address was not known when it was published. */
  host: z.string().nullable().describe('The host, with its port; null: not known when the connector was published.'),
  /** With the query of an address, and with the variables of a published operation in braces. */
  path: z
    .string()
    .describe(
      'The path, with variables in braces. What does not fit 200 bytes ends in `#` and 32 hexadecimal digits of the SHA-256 of the whole.',
    ),
})
export type Called = z.output<typeof Called>

/** Undefined for an action without a target. */
export function calledBy({ target }: Pick<Endpoint, 'target'>): Called | undefined {
  if (!target) return undefined
  if (target.type === 'connection') return { method: target.method, host: target.host ?? null, path: target.path }
  const { host, pathname, search } = new URL(target.url)
  return { method: target.method ?? 'POST', host, path: pathname + search }
}

/** The longest text. */
export const TARGET_BYTES_MAX = 200
const HOST_MAX = 100
const HASH_LENGTH = 32
const UNKNOWN_HOST = '-'

/** What is longer keeps its beginning, and ends in a part of the hash of the whole. Neither a host nor a path holds `#`. */
const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - HASH_LENGTH - 1)}#${sha256Hex(text).slice(0, HASH_LENGTH)}`

/** In ASCII. Braces of variables stay. */
const ascii = (path: string): string =>
  encodeURI(path.toWellFormed()).replaceAll('%7B', '{').replaceAll('%7D', '}').replaceAll('%25', '%')

/** `DELETE api.example.com /v1/contacts/{id}` */
export function targetText({ method, host, path }: Called): string {
  const start = `${method} ${host === null ? UNKNOWN_HOST : shortened(host, HOST_MAX)} `
  return start + shortened(ascii(path), TARGET_BYTES_MAX - start.length)
}

export function readTargetText(text: string): Called {
  const [method = '', host = '', ...path] = text.split(' ')
  return { method, host: host === UNKNOWN_HOST ? null : host, path: path.join(' ') }
}

/** The name of the host, without its port. */
export const hostName = (host: string): string => host.replace(/:\d+$/, '')

const UNESCAPED = /^[\w.~/{}-]*$/

/** Spellings of one path that servers take for the same: escapes, capitals, and slashes that stand twice or at the end. */
function samePath(path: string): string {
  const plain = (path.split('?')[0] ?? '').replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    return UNESCAPED.test(character) ? character : code
  })
  return plain.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
}

const short = (text: string): string => sha256(text).subarray(0, 6).toString('base64url')

/** An address and its host in eight characters each, whatever its method, scheme and query. */
export const addressNames = ({ host, path }: Called) => ({
  address: short(`${host ?? UNKNOWN_HOST}${samePath(path)}`),
  host: short(host ?? UNKNOWN_HOST),
})
