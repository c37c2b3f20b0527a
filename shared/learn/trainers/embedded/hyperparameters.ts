import * as z from 'zod'

/** Of the embedded trainer. */
export const Hyperparameters = z.strictObject({
  epochs: z.int().min(1).max(50).default(15),
  learning_rate: z.number().min(0.01).max(1).default(0.5),
  l2: z.number().min(0).max(0.1).default(1e-5),
  seed: z.int().min(0).max(2_147_483_647).default(0),
})
export type Hyperparameters = z.output<typeof Hyperparameters>
