import type { FactAsk, RequiredFacts } from '../../base/ports/facts.ts'
import { acceptedEvidence } from './accepted.ts'

export const submitted = async ({ ctx }: FactAsk): Promise<RequiredFacts['submitted']> =>
  (await acceptedEvidence(ctx)).map(({ id, kind, collected_at }) => ({ id, kind, collected_at }))
