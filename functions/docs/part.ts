import * as z from 'zod'
import { sitePage } from '../../shared/base/wire/site.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/html' }) }

/** A guide, an area of the reference, or the style, script and search index that the pages share. */
export const handler = endpoint(docs.part, shapes, async ({ params, path }) => sitePage(params.page, path))
