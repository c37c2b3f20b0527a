import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { env } from '../../shared/base/lib/env.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/javascript' }) }

/** The published script of Redoc, served from our own origin. */
export const handler = endpoint(docs.redoc, shapes, async () =>
  httpResponse(200, await readFile(env('REDOC_FILE'), 'utf8'), { 'Content-Type': 'text/javascript; charset=utf-8' }),
)
