import type { FactSources } from '../base/ports/facts.ts'
import { audit_reads } from './audit/facts.ts'
import { chain } from './evidence/verify/facts.ts'

export const ledgerFacts = { audit_reads, chain } satisfies Partial<FactSources>
