import type { FactSources } from '../base/ports/facts.ts'
import { datasets } from './datasets/facts.ts'
import { models } from './models/facts.ts'

export const learnFacts = { datasets, models } satisfies Partial<FactSources>
