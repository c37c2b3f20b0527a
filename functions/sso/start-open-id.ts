import { endpoint } from '../../shared/edge/endpoint.ts'
import { inBrowser } from '../../shared/identity/sso/browser.ts'
import { type Begin, start, startShapes } from '../../shared/identity/sso/start.ts'
import { sso } from './routes.ts'

export const shapes = startShapes

/** Loads the library only for sign-ins with OpenID Connect. */
const begin: Begin = async (...input) =>
  (await import('../../shared/identity/sso/oidc/provider.ts')).beginOidc(...input)

export const handler = endpoint(sso.startOpenId, shapes, ({ query, headers, ctx }) =>
  inBrowser(ctx, (attempt) => start(ctx, query, headers, { protocol: 'oidc', begin }, attempt)),
)
