// What the pages for devices do before the library does.
import type { Provider, RequestContext } from 'oidc-provider'
import { currentRequest } from './current-request.ts'
import { errorPage } from './end-pages.ts'

const PATH = '/oauth/device'
const PATHS = /^\/oauth\/device(\/[\w-]+)?$/

export const deviceRequests =
  (provider: Provider) =>
  async (ctx: RequestContext, next: () => Promise<void>): Promise<void> => {
    if (!PATHS.test(ctx.path)) return next()
    const begins = ctx.method === 'GET' && ctx.path === PATH
    if (begins) keepCode(ctx)
    // Without a session the library cannot show its own error.
    if (begins || (await provider.Session.get(ctx)).new !== true) return next()
    ctx.status = 400
    errorPage(ctx, {
      error: 'invalid_request',
      error_description: 'The page has ended, or it began in another browser.',
    })
  }

/**
 * The library would send a code that stands in the address at once, by a script. Here it is only filled in, so that a person
 * compares it with what their device shows.
 */
function keepCode(ctx: RequestContext): void {
  const { user_code } = ctx.query
  currentRequest().user_code = [user_code].flat()[0]
  ctx.query = {}
}
