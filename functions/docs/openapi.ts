import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { DOCUMENT_HOSTS } from '../../shared/base/wire/site.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'application/json' }) }

/** The document of the build, with the addresses of this deployment. */
export const handler = endpoint(docs.openapi, shapes, async () => {
  const text = await readFile(env('OPENAPI_FILE'), 'utf8')
  const here = text.replaceAll(DOCUMENT_HOSTS.api, env('BASE_URL')).replaceAll(DOCUMENT_HOSTS.app, env('APP_URL'))
  return httpResponse(200, here, { 'Content-Type': 'application/json; charset=utf-8' })
})
