import { endpoint } from '../../shared/http/endpoint.ts'
import { noMe } from '../../shared/scim/discovery.ts'
import { NoReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { reply: NoReply }

export const handler = endpoint(scim.getMe, shapes, noMe)
