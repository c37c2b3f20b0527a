import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { UserInfo, userinfo } from '../../shared/identity/oauth/userinfo.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ access_token: z.string().optional().describe('A JWT. Send it as `Authorization: Bearer`.') }),
  response: UserInfo,
}

export const handler = oauthEndpoint(oauth.userinfoForm, userinfo)
