import type { FactSources } from '../base/ports/facts.ts'
import { datasets } from './datasets/facts.ts'
import { models } from './models/facts.ts'
import { routing } from './routing/facts.ts'

export const learnFacts = { datasets, models, routing } satisfies Partial<FactSources>
