import { endpoint } from '../../shared/http/endpoint.ts'
import { noMe } from '../../shared/scim/discovery.ts'
import { AnyBody, NoReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { body: AnyBody, reply: NoReply }

export const handler = endpoint(scim.createMe, shapes, noMe)
