// What a tenant gives so that its API can be called, and the headers that this becomes.
import * as z from 'zod'
import { invalid } from '../../base/lib/failure.ts'
import type { Auth } from './connector.ts'

const printable = z.string().regex(/^[\x20-\x7e]{1,4096}$/, 'must be printable ASCII')

export const Credentials = z.strictObject({
  token: printable.optional().describe('The bearer token.'),
  username: printable.optional().describe('The user name of Basic authentication.'),
  password: printable.optional().describe('The password of Basic authentication.'),
  key: printable.optional().describe('The API key.'),
})
export type Credentials = z.output<typeof Credentials>

const NEEDED: Record<Auth['type'], readonly (keyof Credentials)[]> = {
  none: [],
  bearer: ['token'],
  basic: ['username', 'password'],
  api_key: ['key'],
  oauth2: [],
}

/** Throws 422 for what is missing and for what the connector does not take. */
export function mustFit({ type }: Auth, credentials: Credentials): void {
  const needed = NEEDED[type]
  for (const name of needed)
    if (credentials[name] === undefined) throw invalid(['credentials', name], 'is needed', 'missing')
  for (const name of Object.keys(credentials))
    if (!needed.some((one) => one === name)) throw invalid(['credentials', name], `is not for ${type}`)
}

export function headersOf({ type, header = '' }: Auth, { token, username, password, key = '' }: Credentials) {
  if (type === 'bearer') return { authorization: `Bearer ${token}` }
  if (type === 'api_key') return { [header.toLowerCase()]: key }
  return type === 'basic' ? { authorization: `Basic ${btoa(`${username}:${password}`)}` } : {}
}
