import * as z from 'zod'
import { HttpResponse } from '../../shared/base/wire/call.ts'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { oauthKeys } from '../../shared/identity/oauth/public-keys.ts'
import { oauth } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'application/json' }) }

const headers = { 'Cache-Control': 'public, max-age=3600', 'Access-Control-Allow-Origin': '*' }

export const handler = oauthEndpoint(oauth.keySet, async () => {
  const keys = await oauthKeys()
  return { response: new HttpResponse(200, { keys: keys.map(({ jwk }) => jwk) }, { headers }) }
})
