import type { Population } from '../assure/populations/population.ts'
import { modelChanges } from './models/population.ts'
import { appliedUpdates } from './routing/population.ts'

export const learnPopulations: readonly Population[] = [appliedUpdates, modelChanges]
