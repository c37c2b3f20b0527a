// From a sign-in page to the page for a forgotten password, and back once the password is set.
import * as z from 'zod'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { env } from '../../base/lib/runtime.ts'
import { hmacSha256, sameBytes } from '../../base/lib/json.ts'

/** The pages that a person may come from: an authorisation or an approval. Anything else could lead to a page of others. */
const BACK = /^\/(?:oauth\/interaction\/[\w-]{1,64}|approvals\/ten_\w{1,40}\/apr_\w{1,40})$/

/** Where a person comes from; undefined for what is none of our sign-in pages. */
export const WayBack = z
  .string()
  .max(200)
  .optional()
  .transform((path) => (path !== undefined && BACK.test(path) ? path : undefined))
  .describe('The path of the page on which the person was signing in.')

/** The link of a sign-in page; `here`: the address of that page. */
export async function forgottenUrl(tenant: string, here: string): Promise<string> {
  const query = { tenant, back: here.slice(env('APP_URL').length), seen: await proofOf(tenant) }
  return `${env('APP_URL')}/auth/forgot?${new URLSearchParams(query).toString()}`
}

/** Whether the link is of a page that showed the organisation. To others the next page does not say whether it exists. */
export const hasSeen = async (tenant: string, seen: string): Promise<boolean> =>
  sameBytes(Buffer.from(await proofOf(tenant)), Buffer.from(seen))

const proofOf = async (tenant: string): Promise<string> =>
  hmacSha256(await derivedKey('seen organisations'), tenant).toString('base64url')

export const backUrl = (back: string): string => `${env('APP_URL')}${back}`
