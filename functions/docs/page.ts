import * as z from 'zod'
import { sitePage } from '../../shared/base/wire/site.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/html' }) }

export const handler = endpoint(docs.page, shapes, async ({ path }) => sitePage('', path))
