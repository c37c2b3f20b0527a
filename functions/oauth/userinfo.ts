import { protocol } from '../../shared/oauth/protocol.ts'
import { UserInfo, userinfo } from '../../shared/oauth/userinfo.ts'
import { oauth } from './routes.ts'

export const shapes = { reply: UserInfo }

export const handler = protocol(oauth.userinfo, userinfo)
