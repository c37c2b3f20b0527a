import { endpoint } from '../../shared/http/endpoint.ts'
import { inBrowser } from '../../shared/sso/browser.ts'
import { type Begin, start } from '../../shared/sso/start.ts'
import { startShapes } from '../../shared/sso/start-shapes.ts'
import { sso } from './routes.ts'

export const shapes = startShapes

/** Only those who go on here need the library. */
const begin: Begin = async (...input) => (await import('../../shared/sso/oidc-start.ts')).beginOidc(...input)

export const handler = endpoint(sso.startOpenId, shapes, ({ query, headers, ctx }) =>
  inBrowser(ctx, (attempt) => start(ctx, query, headers, { protocol: 'oidc', begin }, attempt)),
)
