import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { UserInfo, userinfo } from '../../shared/identity/oauth/userinfo.ts'
import { oauth } from './routes.ts'

export const shapes = { response: UserInfo }

export const handler = oauthEndpoint(oauth.userinfo, userinfo)
