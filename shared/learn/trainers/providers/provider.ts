// What a provider of training does for a job. Each call can be repeated.
import * as z from 'zod'

/** `name`: the job there. `dataset`, `output`: prefixes in S3. `train`: a file of rows for Bedrock, made by `conversation`. */
export type Ask = {
  name: string
  base_model: string
  format: 'dpo' | 'sft' | 'kto'
  hyperparameters: Record<string, string>
  dataset: string
  hasTest: boolean
  train: string
  output: string
}

export type ProviderState = {
  status: 'provisioning' | 'running' | 'completed' | 'failed' | 'cancelling' | 'cancelled'
  error?: { code: string; message: string }
  /** By the names that the training reported. */
  metrics?: Record<string, number>
  /** Where the model is: an object in S3, or the ARN of a model of the provider. */
  artifact?: string
  compute_seconds?: number
}

export type Provider = {
  start: (ask: Ask) => Promise<void>
  /** Undefined: it does not know the job. */
  poll: (name: string) => Promise<ProviderState | undefined>
  cancel: (name: string) => Promise<void>
}

/** The provider refuses the request, and would refuse it again. */
export class Refused extends Error {}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')
const REFUSALS = ['ValidationException', 'AccessDeniedException', 'ResourceNotFoundException', 'TooManyTagsException']

export const isNamed = (error: unknown, ...names: string[]): boolean => names.includes(nameOf(error))

/** Errors of the provider about the request become `Refused`; all others mean that it could not be reached. */
export function refusal(error: unknown): unknown {
  return isNamed(error, ...REFUSALS) && error instanceof Error ? new Refused(error.message, { cause: error }) : error
}

const Message = z.object({
  role: z.string(),
  content: z.string(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.string() }) })).optional(),
})
const Row = z.object({ prompt: z.array(Message), completion: z.array(Message).min(1) })

/** A call of a tool is written as its arguments, because the form has no tools. */
const textOf = ({ content, tool_calls }: z.output<typeof Message>): string =>
  tool_calls?.[0]?.function.arguments ?? content

/** A row of `sft/` in the form that Bedrock reads. */
export function conversation(line: string): string {
  const { prompt, completion } = Row.parse(JSON.parse(line))
  const said = [...prompt.filter(({ role }) => role !== 'system'), ...completion.slice(0, 1)]
  return `${JSON.stringify({
    schemaVersion: 'bedrock-conversation-2024',
    system: prompt.filter(({ role }) => role === 'system').map((message) => ({ text: textOf(message) })),
    messages: said.map((message) => ({ role: message.role, content: [{ text: textOf(message) }] })),
  })}\n`
}
