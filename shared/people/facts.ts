import type { FactSources } from '../base/ports/facts.ts'
import { leavers } from './credentials/facts.ts'

export const peopleFacts = { leavers } satisfies Partial<FactSources>
