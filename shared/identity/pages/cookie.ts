// The cookie of the service's own pages. It is sealed, so it proves what it says, and it is worth nothing to the API: only pages
// read it. It names the session and never holds a token.
import * as z from 'zod'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { env } from '../../base/lib/runtime.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { dataKey, open, seal } from '../../ledger/sealing/seal-format.ts'
import { newSecret } from '../access/one-time.ts'

const PageCookie = z.object({
  /** Binds the forms of the pages to this browser, and is the code verifier of a sign-in elsewhere. */
  id: z.string(),
  session: z.object({ sid: z.string(), sub: z.string(), tenant_id: z.string() }).optional(),
})
export type PageCookie = z.output<typeof PageCookie>

const PLACE = { pk: 'COOKIE', sk: 'PAGES', attribute: 'value' }
const KEY = 'page cookies'

const isSecure = () => env('APP_URL').startsWith('https:')
/** With the prefix, no other host of the domain can set it. The local service has no TLS. */
const cookieName = () => (isSecure() ? '__Host-countersign' : 'countersign')

const key = async () => dataKey('page', await derivedKey(KEY))

export const newCookie = (random: RandomBytes): PageCookie => ({ id: newSecret(random) })

/** Undefined for a missing cookie and for one that this service did not make. */
export async function readCookie({ cookie = '' }: Headers): Promise<PageCookie | undefined> {
  const prefix = `${cookieName()}=`
  const given = cookie
    .split(/; */)
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length)
  if (given === undefined) return undefined
  try {
    return PageCookie.parse(JSON.parse(open(await key(), PLACE, Buffer.from(given, 'base64url')).toString()))
  } catch {
    return undefined
  }
}

/** `SameSite=Lax`: the link in a mail finds the person signed in, and no form of another site does. */
export async function setCookie(
  value: PageCookie,
  seconds: number,
  random: RandomBytes,
): Promise<{ 'Set-Cookie': string }> {
  const sealed = seal(await key(), PLACE, Buffer.from(JSON.stringify(value)), random)
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax', ...(isSecure() ? ['Secure'] : [])]
  return { 'Set-Cookie': [`${cookieName()}=${Buffer.from(sealed).toString('base64url')}`, ...attributes].join('; ') }
}

/** The key that binds the forms of pages to a cookie. */
export const formKey = (): Promise<Uint8Array> => derivedKey('page forms')
