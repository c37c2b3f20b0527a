import { endpoint } from '../../shared/edge/endpoint.ts'
import { inBrowser } from '../../shared/identity/sso/browser.ts'
import { beginSaml, start, startShapes } from '../../shared/identity/sso/start.ts'
import { sso } from './routes.ts'

export const shapes = startShapes

export const handler = endpoint(sso.start, shapes, ({ query, headers, ctx }) =>
  inBrowser(ctx, (attempt) => start(ctx, query, headers, { protocol: 'saml', begin: beginSaml }, attempt)),
)
