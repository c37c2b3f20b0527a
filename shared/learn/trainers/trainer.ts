// Who can train what. The embedded trainer runs in the worker; the others hand a job to a provider and ask it for the state.
import * as z from 'zod'

export const JOB_TYPES = ['preference', 'approval', 'dpo', 'sft', 'kto'] as const
export type JobType = (typeof JOB_TYPES)[number]

export const TRAINERS = ['embedded', 'sagemaker', 'bedrock'] as const
export type TrainerName = (typeof TRAINERS)[number]

/** The types that a trainer offers. Bedrock has no type of training from preferences. */
export const CAPABILITIES: Record<TrainerName, readonly JobType[]> = {
  embedded: ['preference', 'approval'],
  sagemaker: ['dpo', 'sft', 'kto'],
  bedrock: ['sft'],
}

/** The embedded trainer is always there; a provider only with the settings that it needs. */
const NEEDS: Record<TrainerName, readonly string[]> = {
  embedded: [],
  sagemaker: ['TRAINING_IMAGE', 'TRAINING_ROLE_ARN'],
  bedrock: ['BEDROCK_ROLE_ARN'],
}

export const isConfigured = (name: TrainerName): boolean => NEEDS[name].every((setting) => process.env[setting])

export const configuredTrainers = (): TrainerName[] => TRAINERS.filter(isConfigured)

/** Whether it makes a language model, which starts from one that exists. */
export const isLanguageModel = (type: JobType): boolean => !CAPABILITIES.embedded.includes(type)

/** The folder of a dataset that has the rows of a type. */
export const FORMAT_OF: Record<JobType, 'dpo' | 'kto' | 'sft'> = {
  preference: 'dpo',
  approval: 'kto',
  dpo: 'dpo',
  kto: 'kto',
  sft: 'sft',
}

/** USD for a second of training, as `<trainer>=<price>`, comma-separated; null without a price. */
export function priceOf(trainer: TrainerName): { usd: number; source: string } | null {
  const entry = (process.env.TRAINING_PRICES ?? '').split(',').find((one) => one.startsWith(`${trainer}=`))
  return entry === undefined
    ? null
    : { usd: Number(entry.slice(trainer.length + 1)), source: `TRAINING_PRICES ${entry}` }
}

/** Of the embedded trainer. */
export const Hyperparameters = z.strictObject({
  epochs: z.int().min(1).max(50).default(15),
  learning_rate: z.number().min(0.01).max(1).default(0.5),
  l2: z.number().min(0).max(0.1).default(1e-5),
  seed: z.int().min(0).max(2_147_483_647).default(0),
})
export type Hyperparameters = z.output<typeof Hyperparameters>
