// What a row of each format must look like: its columns and nothing more, as TRL takes them. Each is a text in all rows of a file, or a
// list of messages in all of them.
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

const Turn = z.union([z.string(), z.array(Message).min(1)])
const tools = z.string().optional()

const ROWS = {
  dpo: z.strictObject({ prompt: Turn, chosen: Turn, rejected: Turn, tools }),
  sft: z.strictObject({ prompt: Turn, completion: Turn, tools }),
  kto: z.strictObject({ prompt: Turn, completion: Turn, label: z.boolean(), tools }),
} satisfies Record<DatasetFormat, z.ZodType>

/** Why a row is not valid; undefined when it is. Names columns, never values. */
export function problemOf(format: DatasetFormat, row: unknown): string | undefined {
  const [issue] = ROWS[format].safeParse(row).error?.issues ?? []
  return issue && reasonOf(issue, row)
}

/** Of a list that is none of messages, the member that is the cause. */
function reasonOf(issue: z.core.$ZodIssue, row: unknown): string {
  const place = issue.path.join('.') || 'row'
  if (issue.code !== 'invalid_union') return `${place}: ${issue.message}`
  const isList = isObject(row) && Array.isArray(row[String(issue.path[0])])
  const [inner] = issue.errors[1] ?? []
  return isList && inner ? `${[...issue.path, ...inner.path].join('.')}: ${inner.message}` : `${place}: ${NEITHER}`
}

const NEITHER = 'must be a text or a list of messages'
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

export type Form = 'text' | 'messages'
export const NAMES: Record<Form, string> = { text: 'a text', messages: 'a list of messages' }

/** The form of each turn of a valid row. */
export const formsOf = (format: DatasetFormat, row: unknown): [string, Form][] =>
  isObject(row) ? TURNS[format].map((name) => [name, typeof row[name] === 'string' ? 'text' : 'messages']) : []

const TURNS: Record<DatasetFormat, readonly string[]> = {
  dpo: ['prompt', 'chosen', 'rejected'],
  sft: ['prompt', 'completion'],
  kto: ['prompt', 'completion'],
}
