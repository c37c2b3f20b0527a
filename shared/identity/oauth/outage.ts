// The library tells whatever it does not know as a fault of ours. A dependency that does not answer is none, and worth
// another try, so that is said instead.
import type { RequestContext } from 'oidc-provider'
import { asFailure } from '../../edge/respond.ts'
import { errorPage, type Refusal } from './end-pages.ts'

export const OUTAGE = { error: 'temporarily_unavailable', error_description: 'try again in a moment' }

const isOutage = (error: unknown): boolean => asFailure(error).status === 503

/** The library's page about `error`; what did not answer is the log's to know, not a stranger's. */
export const failurePage = (ctx: RequestContext, told: Refusal, error: unknown): void =>
  errorPage(ctx, isOutage(error) ? OUTAGE : told)

/** Before or after that page, and where there is none. A client that is told by redirect hears it in words of its own. */
export function tellOutage(ctx: RequestContext, error: unknown): void {
  if (ctx.status !== 500 || !isOutage(error)) return
  ctx.status = 503
  ctx.set('Retry-After', '1')
  if (typeof ctx.body !== 'string') ctx.body = OUTAGE
}
