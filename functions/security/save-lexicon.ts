import '../effects.ts'
import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { LexiconBody, LexiconView } from '../../shared/govern/policies/lexicon.ts'
import { saveLexicon } from '../../shared/govern/policies/save.ts'
import { DryRun, DryRunQuery } from '../../shared/govern/policies/view.ts'
import { isWaiting, WaitingChange, waitingResponse } from '../../shared/govern/protocol/loosen.ts'
import { security } from './routes.ts'

export const shapes = {
  query: DryRunQuery,
  body: LexiconBody,
  response: z.union([LexiconView, DryRun, WaitingChange]),
  versioned: true,
}

/** Replaces the tenant's own words; `?dry_run=true` only reports what past executions would become. */
export const handler = endpoint(security.saveLexicon, shapes, async ({ query, body: sent, version, ctx }) => {
  const body = { ...sent, version: version ?? sent.version }
  if (query.dry_run === 'true') {
    const { tryLexicon } = await import('../../shared/govern/policies/dry-run.ts')
    return unchanged(await tryLexicon(ctx, body, query.replay ?? 0))
  }
  const lexicon = await saveLexicon(ctx, body)
  if (isWaiting(lexicon)) return waitingResponse(lexicon)
  return tagged(lexicon, lexicon.version)
})
