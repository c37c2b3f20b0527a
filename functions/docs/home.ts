import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/plain' }) }

export const handler = endpoint(docs.home, shapes, async () => {
  const Location = `${env('APP_URL')}/docs`
  return httpResponse(302, `The reference is at ${Location}\n`, {
    Location,
    'Content-Type': 'text/plain; charset=utf-8',
  })
})
