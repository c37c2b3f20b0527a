import type { FactSources } from '../base/ports/facts.ts'
import { endpoints } from './webhooks/facts.ts'

export const deliverFacts = { endpoints } satisfies Partial<FactSources>
