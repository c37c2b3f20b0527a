import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { LexiconView, readLexicon } from '../../shared/govern/policies/lexicon.ts'
import { security } from './routes.ts'

export const shapes = { response: LexiconView, versioned: true }

export const handler = endpoint(security.getLexicon, shapes, async ({ ctx }) => {
  const lexicon = await readLexicon(ctx)
  return tagged(lexicon, lexicon.version)
})
