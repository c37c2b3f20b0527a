import type { FactSources } from '../base/ports/facts.ts'
import { keys } from './access/facts.ts'
import { kms } from './kms/facts.ts'
import { security_events } from './security-events/facts.ts'
import { users } from './sign-in/facts.ts'
import { settings } from './tenants/facts.ts'

export const identityFacts = { keys, kms, security_events, settings, users } satisfies Partial<FactSources>
