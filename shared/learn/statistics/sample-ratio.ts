// Whether the units of a test are split as they should be. A wrong ratio means that something chooses which units are counted.
import { chiSquareTail } from './normal.ts'

const DETECTED_BELOW = 0.001

export type Ratio = { statistic: number; srm_p: number; srm_detected: boolean }

/** Chi-square test of the counted units against the split. */
export function sampleRatio(units: { a: number; b: number }, split_b: number): Ratio {
  const total = units.a + units.b
  if (total === 0) return { statistic: 0, srm_p: 1, srm_detected: false }
  const expected = { a: total * (1 - split_b), b: total * split_b }
  const statistic = (units.a - expected.a) ** 2 / expected.a + (units.b - expected.b) ** 2 / expected.b
  const srm_p = chiSquareTail(statistic)
  return { statistic, srm_p, srm_detected: srm_p < DETECTED_BELOW }
}
