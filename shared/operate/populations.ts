import type { Population } from '../assure/populations/population.ts'
import { alerts } from './alerts/population.ts'
import { incidents } from './incidents/population.ts'

export const operatePopulations: readonly Population[] = [incidents, alerts]
