import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deleteCalendar } from '../../shared/govern/policies/calendars.ts'
import { security } from './routes.ts'

export const shapes = { response: z.undefined(), versioned: true }

export const handler = endpoint(security.deleteCalendar, shapes, async ({ params, version, ctx }) => {
  await deleteCalendar(ctx, params.name, version)
  return undefined
})
