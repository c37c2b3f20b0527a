// The library answers every unknown error as a 500. When a dependency did not answer, this turns it into a 503, because a
// retry is worthwhile then.
import type { RequestContext } from 'oidc-provider'
import { asFailure } from '../../base/lib/as-failure.ts'
import { errorPage, type Refusal } from './end-pages.ts'

export const OUTAGE = {
  error: 'temporarily_unavailable',
  error_description: 'The service is not available. Try again in a moment.',
}

const isOutage = (error: unknown): boolean => asFailure(error).status === 503

/** The error page. It does not name the dependency, which stands in the log only. */
export const failurePage = (ctx: RequestContext, refusal: Refusal, error: unknown): void =>
  errorPage(ctx, isOutage(error) ? OUTAGE : refusal)

/** Sets the status of an outage, and the body unless the page is there already. Errors sent by redirect stay as they are. */
export function answerOutage(ctx: RequestContext, error: unknown): void {
  if (ctx.status !== 500 || !isOutage(error)) return
  ctx.status = 503
  ctx.set('Retry-After', '1')
  if (typeof ctx.body !== 'string') ctx.body = OUTAGE
}
