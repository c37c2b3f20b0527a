// The documentation as it was made at build time: a file of all pages, served with the addresses of this deployment.
import { readFile } from 'node:fs/promises'
import { env } from '../lib/runtime.ts'
import { notFound } from '../lib/failure.ts'
import { once } from '../lib/memory.ts'
import { sha256 } from '../lib/json.ts'
import { HttpResponse } from './call.ts'

/** Files by name. The first page has the empty name. */
export type Site = Record<string, { type: string; text: string }>

/** Scripts and styles come from this host only. The script may call the API, to try an operation. */
const policy = () =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    `connect-src 'self' ${new URL(env('BASE_URL')).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const site = /* @__PURE__ */ once(
  async (): Promise<Site> => JSON.parse(await readFile(env('DOCS_FILE'), 'utf8')) as Site, // written by the build
)

/**
 * Throws 404 for a name that no page has. The tag is weak, because the gateway may compress the answer. Links of pages are relative,
 * so a path that ends with a slash leads to the one without.
 */
export async function sitePage(name: string, path: string): Promise<HttpResponse> {
  const files = await site()
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (!file) throw notFound('page')
  if (path.endsWith('/')) {
    const Location = [`${env('APP_URL')}/docs`, ...(name === '' ? [] : [name])].join('/')
    return new HttpResponse(302, '', { headers: { Location, 'Content-Type': file.type }, unchanged: true })
  }
  const { api, app } = DOCUMENT_HOSTS
  const text = file.text.replaceAll(api, env('BASE_URL')).replaceAll(app, env('APP_URL'))
  const headers = {
    'Content-Type': file.type,
    ETag: `W/"${sha256(text).toString('base64url').slice(0, 22)}"`,
    'Cache-Control': 'public, max-age=300',
    Vary: 'Accept-Encoding',
    'Content-Security-Policy': policy(),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
  }
  return new HttpResponse(200, text, { headers, unchanged: true })
}

/** Addresses of both hosts in the OpenAPI document of the build. The service writes those of the deployment in their place. */
export const DOCUMENT_HOSTS = {
  api: 'https://api.countersign.example',
  app: 'https://app.countersign.example',
}
