// Rows of the files, exactly as TRL's trainers take them: these columns and nothing more; and the chat messages in them.
import type { DatasetFormat, DatasetStyle } from '../datasets/dataset.ts'
import type { Pair } from './pair.ts'
import type { Sample } from './sample.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { RUNNER_NODE_ID } from '../../govern/manifests/load.ts'
import type { Endpoint, Node } from '../../govern/manifests/manifest.ts'

/** One row: the samples in it. */
export type Planned = { format: 'dpo'; pair: Pair } | { format: 'sft' | 'kto'; sample: Sample }

const withTools = ({ tools }: Texts) => (tools === undefined ? {} : { tools })

export const dpoRow = (chosen: Texts, rejected: Texts): string =>
  JSON.stringify({
    prompt: chosen.prompt,
    chosen: chosen.completion,
    rejected: rejected.completion,
    ...withTools(chosen),
  })

export function rowOf(format: Exclude<DatasetFormat, 'dpo'>, { side }: Pick<Sample, 'side'>, texts: Texts): string {
  const { prompt, completion } = texts
  return JSON.stringify({
    prompt,
    completion,
    ...(format === 'kto' && { label: side === 'chosen' }),
    ...withTools(texts),
  })
}

/** What each format gets of the samples; a dataset of pairs comes with the other two forms, too. */
export function plan(format: DatasetFormat, samples: readonly Sample[], pairs: readonly Pair[]): Planned[] {
  const sft = samples.filter(({ side }) => side === 'chosen').map((sample) => ({ format: 'sft' as const, sample }))
  const kto = samples.map((sample) => ({ format: 'kto' as const, sample }))
  if (format === 'sft') return sft
  return format === 'kto' ? kto : [...pairs.map((pair) => ({ format: 'dpo' as const, pair })), ...sft, ...kto]
}

/** The sample that decides on which side of a split the row is; a pair is as new as its newer sample. */
export function anchorOf(row: Planned): Sample {
  if (row.format !== 'dpo') return row.sample
  const { chosen, rejected } = row.pair
  return chosen.requested_at >= rejected.requested_at ? chosen : rejected
}

// The texts of a sample, as chat messages. The prompt holds only what both sides share: who the agent is and its task. The
// completion is the payload that it chose.

export type Message = {
  role: 'system' | 'user' | 'assistant'
  content: string
  tool_calls?: { type: 'function'; function: { name: string; arguments: string } }[]
}

/** `tools` is JSON text, as are `arguments`: Arrow gives all rows one schema, and objects with varying members have none. */
export type Texts = { prompt: Message[]; completion: Message[]; tools?: string }

export const DEFAULT_SYSTEM =
  'You are an agent whose actions are governed. Answer with one JSON object: the payload of the action.'

/** What the agent could do and was asked to do. */
export type Asked = { node: Pick<Node, 'id' | 'name'>; action: Action; task: string }
type Action = Pick<Endpoint, 'action_id' | 'description' | 'input_schema'>

const TASK_MEMBERS = ['task', 'intent', 'goal', 'instruction'] as const

/** A command, what the payload calls its task, or the description of the action. `by` action: always the description. */
export function taskOf(nodeId: string, action: Action, payload: JsonObject, by: 'task' | 'action'): string {
  const { description = '' } = action
  if (by === 'action') return description
  const members = nodeId === RUNNER_NODE_ID ? (['command'] as const) : TASK_MEMBERS
  return members.map((name) => payload[name]).find((value) => typeof value === 'string') ?? description
}

export function promptOf({ node, action, task }: Asked, system = DEFAULT_SYSTEM): Message[] {
  const { action_id, description = '' } = action
  const content = `Node: ${node.id} - ${node.name}\nAction: ${action_id} - ${description}\nTask: ${task}`
  return [
    { role: 'system', content: system },
    { role: 'user', content },
  ]
}

export function completionOf({ node, action }: Asked, payload: JsonObject, style: DatasetStyle): Message[] {
  const text = canonicalJson(payload)
  if (style === 'json') return [{ role: 'assistant', content: text }]
  const call = { type: 'function' as const, function: { name: toolName(node.id, action.action_id), arguments: text } }
  return [{ role: 'assistant', content: '', tool_calls: [call] }]
}

export function toolsOf({ node, action }: Asked): string {
  const { action_id, description = '', input_schema = { type: 'object' } } = action
  return canonicalJson([
    { type: 'function', function: { name: toolName(node.id, action_id), description, parameters: input_schema } },
  ])
}

const toolName = (nodeId: string, actionId: string): string =>
  `${nodeId}__${actionId}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
