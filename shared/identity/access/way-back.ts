// From a sign-in page to the page for a forgotten password, and back once the password is set.
import * as z from 'zod'
import { env } from '../../base/lib/env.ts'

/** The pages that a person may come from: an authorisation or an approval. Anything else could lead to a page of others. */
const BACK = /^\/(?:oauth\/interaction\/[\w-]{1,64}|approvals\/ten_\w{1,40}\/apr_\w{1,40})$/

/** Where a person comes from; undefined for what is none of our sign-in pages. */
export const WayBack = z
  .string()
  .max(200)
  .optional()
  .transform((path) => (path !== undefined && BACK.test(path) ? path : undefined))

/** The link of a sign-in page; `here`: the address of that page. */
export const forgottenUrl = (tenant: string, here: string): string =>
  `${env('APP_URL')}/auth/forgot?${new URLSearchParams({ tenant, back: here.slice(env('APP_URL').length) }).toString()}`

export const backUrl = (back: string): string => `${env('APP_URL')}${back}`
