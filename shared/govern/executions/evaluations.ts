// The stored form of a decision's evaluations: one that passed is only its policy id, because most of them pass.
import * as z from 'zod'

export const Evaluation = z.object({
  policy_id: z.string().describe('Id of the policy.'),
  result: z
    .string()
    .describe('`pass`, or the effect of the policy. `shadow:` in front: the effect that it would have.'),
  basis: z
    .enum(['true', 'unknown'])
    .optional()
    .describe('`unknown`: a fact was missing, so the policy fired as a precaution.'),
  message: z.string().optional().describe('A message for people.'),
  /** Of a model: the probability of an approval. */
  score: z.number().optional().describe("The model's probability of approval."),
  estimated: z
    .literal(true)
    .optional()
    .describe('Of a shadow policy with a limit: its total was last seen some time ago.'),
  why: z
    .array(
      z.object({
        field: z.string().describe('The fact that was read.'),
        op: z.string().describe('How the fact was compared.'),
        outcome: z.string().describe('Whether the comparison held, or could not be made.'),
      }),
    )
    .optional()
    .describe('The comparisons that decided the result.'),
})

type One = z.output<typeof Evaluation>

const isBarePass = (one: One) => one.result === 'pass' && Object.keys(one).length === 2

/** An execution is one item of the table (400 KB), and some hold two decisions. */
const BYTES_MAX = 49_152

const pack = (all: readonly One[]) => JSON.stringify(all.map((one) => (isBarePass(one) ? one.policy_id : one)))
const fits = (text: string) => Buffer.byteLength(text) <= BYTES_MAX

/** Where hundreds of policies fire at once, explanations are dropped until it fits. No result is dropped. */
export function packEvaluations(all: readonly One[]): string {
  const whole = pack(all)
  if (fits(whole)) return whole
  const withoutWhy = all.map(({ why: _, ...one }) => one)
  const shorter = pack(withoutWhy)
  return fits(shorter) ? shorter : pack(withoutWhy.map(({ message: _, ...one }) => one))
}

export const unpackEvaluations = (text: string): One[] => {
  const stored: (string | One)[] = JSON.parse(text)
  return stored.map((one) => (typeof one === 'string' ? { policy_id: one, result: 'pass' } : one))
}
