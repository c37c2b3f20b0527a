import type { FactSources } from '../base/ports/facts.ts'
import { backups } from './deployment/facts.ts'
import { erasures } from './erasure/facts.ts'
import { oldest_files } from './exports/facts.ts'
import { oldest_payloads } from './retention/facts.ts'
import { submitted } from './submissions/facts.ts'

export const assureFacts = {
  backups,
  erasures,
  oldest_files,
  oldest_payloads,
  submitted,
} satisfies Partial<FactSources>
