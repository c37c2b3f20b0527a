// The evaluations of a decision as the execution stores them: most of them passed, and a bare id says that.
import type * as z from 'zod'
import type { Evaluation } from './execution.ts'

type One = z.output<typeof Evaluation>

const isBarePass = (one: One) => one.result === 'pass' && Object.keys(one).length === 2

export const packEvaluations = (all: readonly One[]): string =>
  JSON.stringify(all.map((one) => (isBarePass(one) ? one.policy_id : one)))

export const unpackEvaluations = (text: string): One[] => {
  const stored: (string | One)[] = JSON.parse(text)
  return stored.map((one) => (typeof one === 'string' ? { policy_id: one, result: 'pass' } : one))
}
