import * as z from 'zod'
import { protocol } from '../../shared/oauth/protocol.ts'
import { userinfo } from '../../shared/oauth/userinfo.ts'
import { oauth } from './routes.ts'

export const shapes = { reply: z.string().meta({ contentMediaType: 'application/json' }) }

export const handler = protocol(oauth.userinfo, userinfo)
