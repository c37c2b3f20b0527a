import * as z from 'zod'
import { protocol } from '../../shared/identity/oauth/protocol.ts'
import { UserInfo, userinfo } from '../../shared/identity/oauth/userinfo.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ access_token: z.string().optional() }),
  response: UserInfo,
}

export const handler = protocol(oauth.userinfoForm, userinfo)
