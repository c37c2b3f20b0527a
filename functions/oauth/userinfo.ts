import { protocol } from '../../shared/identity/oauth/protocol.ts'
import { UserInfo, userinfo } from '../../shared/identity/oauth/userinfo.ts'
import { oauth } from './routes.ts'

export const shapes = { response: UserInfo }

export const handler = protocol(oauth.userinfo, userinfo)
