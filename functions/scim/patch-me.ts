import { endpoint } from '../../shared/edge/endpoint.ts'
import { noMe } from '../../shared/identity/scim/discovery.ts'
import { AnyBody, NoResponse } from '../../shared/identity/scim/messages.ts'
import { scim } from './routes.ts'

export const shapes = { body: AnyBody, response: NoResponse }

export const handler = endpoint(scim.patchMe, shapes, noMe)
