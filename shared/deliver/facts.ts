import type { FactSources } from '../base/ports/facts.ts'
import { connections } from './integrations/facts.ts'
import { endpoints } from './webhooks/facts.ts'

export const deliverFacts = { connections, endpoints } satisfies Partial<FactSources>
