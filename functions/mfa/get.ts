import { endpoint } from '../../shared/http/endpoint.ts'
import { overview, Overview } from '../../shared/mfa/overview.ts'
import { mfa } from './routes.ts'

export const shapes = { reply: Overview }

export const handler = endpoint(mfa.get, shapes, ({ ctx }) => overview(ctx))
