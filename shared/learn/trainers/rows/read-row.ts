// Reads an action back from a row of a dataset: its context from the prompt, its payload from the completion.
import * as z from 'zod'

const Message = z.object({
  role: z.string(),
  content: z.string(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.string() }) })).optional(),
})
const Messages = z.array(Message).min(1)

const Kto = z.object({ prompt: Messages, completion: Messages, label: z.boolean() })
const Dpo = z.object({ prompt: Messages, chosen: Messages, rejected: Messages })

const ACTION = /^Node: (\S+) - [^\n]*\nAction: (\S+) - /

/** A row of another form than that of generated datasets: nothing can be learnt from it. */
export class UnreadableRow extends Error {}

export type Judgement = { context: string; payload: unknown; approved: boolean }
export type Preference = { context: string; chosen: unknown; rejected: unknown }

export function readJudgement(line: string): Judgement {
  const { prompt, completion, label } = parsed(Kto, line)
  return { context: contextOf(prompt), payload: payloadOf(completion), approved: label }
}

export function readPreference(line: string): Preference {
  const { prompt, chosen, rejected } = parsed(Dpo, line)
  return { context: contextOf(prompt), chosen: payloadOf(chosen), rejected: payloadOf(rejected) }
}

function parsed<S extends z.ZodType>(schema: S, line: string): z.output<S> {
  const result = schema.safeParse(json(line))
  if (result.success) return result.data
  throw new UnreadableRow('the columns are not those of its format')
}

function contextOf(prompt: z.output<typeof Messages>): string {
  const [, node, action] = ACTION.exec(prompt.find(({ role }) => role === 'user')?.content ?? '') ?? []
  if (node === undefined || action === undefined) throw new UnreadableRow('the prompt names no node and action')
  return `${node}/${action}`
}

/** Written out as JSON, or as the arguments of a call of a tool. */
function payloadOf([message]: z.output<typeof Messages>): unknown {
  const payload = json(message?.tool_calls?.[0]?.function.arguments ?? message?.content ?? '')
  if (typeof payload === 'object' && payload !== null) return payload
  throw new UnreadableRow('the completion is no payload')
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableRow('it is not JSON')
  }
}
