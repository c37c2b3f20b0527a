// What a row of each format must look like: its columns and nothing more, as TRL takes them. A text stands for a single message.
import * as z from 'zod'
import type { DatasetFormat } from '../datasets/dataset.ts'

const Call = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
})

const Message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  tool_calls: z.array(Call).optional(),
})

const Turn = z.union([z.string(), z.array(Message).min(1)], { error: 'must be a text or a list of messages' })
const tools = z.string().optional()

export const ROWS = {
  dpo: z.strictObject({ prompt: Turn, chosen: Turn, rejected: Turn, tools }),
  sft: z.strictObject({ prompt: Turn, completion: Turn, tools }),
  kto: z.strictObject({ prompt: Turn, completion: Turn, label: z.boolean(), tools }),
} satisfies Record<DatasetFormat, z.ZodType>

/** Why a row is not valid; undefined when it is. Names columns, never values. */
export function problemOf(format: DatasetFormat, row: unknown): string | undefined {
  const [issue] = ROWS[format].safeParse(row).error?.issues ?? []
  return issue && `${issue.path.join('.') || 'row'}: ${issue.message}`
}
