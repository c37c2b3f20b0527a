import { endpoint } from '../../shared/edge/endpoint.ts'
import { noBulk } from '../../shared/identity/scim/discovery.ts'
import { AnyBody, NoResponse } from '../../shared/identity/scim/messages.ts'
import { scim } from './routes.ts'

export const shapes = { body: AnyBody, response: NoResponse }

export const handler = endpoint(scim.bulk, shapes, noBulk)
