import { endpoint } from '../../shared/edge/endpoint.ts'
import { overview, Overview } from '../../shared/identity/mfa/overview.ts'
import { mfa } from './routes.ts'

export const shapes = { response: Overview }

export const handler = endpoint(mfa.get, shapes, ({ ctx }) => overview(ctx))
