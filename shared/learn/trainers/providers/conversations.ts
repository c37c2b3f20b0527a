// Rows of `sft/` in the form that Bedrock reads.
import * as z from 'zod'

const Message = z.object({
  role: z.string(),
  content: z.string(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.string() }) })).optional(),
})
const Row = z.object({ prompt: z.array(Message), completion: z.array(Message).min(1) })

/** A call of a tool is written as its arguments, because the form has no tools. */
const textOf = ({ content, tool_calls }: z.output<typeof Message>): string =>
  tool_calls?.[0]?.function.arguments ?? content

export function conversation(line: string): string {
  const { prompt, completion } = Row.parse(JSON.parse(line))
  const said = [...prompt.filter(({ role }) => role !== 'system'), ...completion.slice(0, 1)]
  return `${JSON.stringify({
    schemaVersion: 'bedrock-conversation-2024',
    system: prompt.filter(({ role }) => role === 'system').map((message) => ({ text: textOf(message) })),
    messages: said.map((message) => ({ role: message.role, content: [{ text: textOf(message) }] })),
  })}\n`
}
