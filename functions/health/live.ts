import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { health } from './routes.ts'

export const shapes = { response: z.object({ status: z.literal('alive').describe('The current state.') }) }

/** Uses no dependency. */
export const handler = endpoint(health.live, shapes, async () => ({ status: 'alive' as const }))
