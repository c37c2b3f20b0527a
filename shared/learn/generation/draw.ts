// Makes the samples of one labelled execution: its own, and the one of each correction.
import type { Context } from '../../base/context.ts'
import { canonicalJson, type Json, sha256Hex } from '../../base/lib/json.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { spaceKey, type Stored } from '../../base/table/entity.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { openSealed } from '../../govern/executions/sealed/open-execution.ts'
import { checkPayload } from '../../govern/manifests/payload-check.ts'
import { loadVersion } from '../../govern/manifests/load.ts'
import type { Endpoint, Node } from '../../govern/manifests/manifest.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Dataset, DatasetFilters } from '../datasets/dataset.ts'
import { verdictOf } from '../feedback/proven-feedback.ts'
import { openCorrection } from '../feedback/correction.ts'
import type { Feedback } from '../feedback/feedback.ts'
import { featuresOf, simHash } from '../samples/features.ts'
import type { Label } from '../samples/label.ts'
import { redactAll } from '../samples/redact-text.ts'
import type { Sample } from '../samples/sample.ts'
import { completionOf, promptOf, taskOf, type Texts, toolsOf } from '../samples/rows.ts'
import type { Collected, Labelled } from './collect.ts'
import type { Scratch } from './write-rows.ts'
import { personaVersions, seedOf } from '../../govern/learned/persona.ts'
import { unpackUsed } from '../../govern/learned/learned.ts'

type Made = Pick<Dataset, 'style'> & { filters: DatasetFilters }
type Into = { scratch: Scratch; collected: Collected; prompts: Prompts }
type Known = { node: Node; action: Endpoint; payload: JsonObject; system: string | undefined }

/** An erased payload, or one that is not what the evidence commits to, gives none. */
export async function draw(ctx: Context, made: Made, { execution, label, counting }: Labelled, into: Into) {
  const known = await openKnown(ctx, execution, into.prompts)
  if (!known) {
    into.collected.counts.unproven += 1
    return
  }
  const artifact_ids = execution.artifacts.map(({ artifact_id }) => artifact_id)
  const of = { id: execution.id, requested_at: timeOfId(execution.id), execution_ids: [execution.id] }
  add(into, made, known, { ...of, ...factsOf(label), artifact_ids })
  for (const one of counting) {
    const payload = await correctionOf(ctx, execution, known, one)
    if (!payload) continue
    const said: Label = { side: 'chosen', confidence: 1, source: 'feedback', decided_at: one.updated_at }
    add(
      into,
      made,
      { ...known, payload },
      { ...of, id: one.id, ...factsOf(said), artifact_ids: [one.artifact.id] },
      known,
    )
  }
}

const factsOf = ({ side, confidence, source, decided_at }: Label) => ({
  side,
  confidence: Math.round(confidence * 1e6) / 1e6,
  source,
  decided_at: Date.parse(decided_at),
})

async function openKnown(ctx: Context, execution: Stored<Execution>, prompts: Prompts): Promise<Known | undefined> {
  const [{ opened, salt }, version, system] = await Promise.all([
    openSealed(ctx, execution),
    loadVersion(ctx.table, ctx.space, execution.node_id, execution.version),
    prompts.of(execution),
  ])
  const { payload } = opened
  const action = version?.endpoints.get(execution.action_id)
  if (!version || !action || !payload || !salt) return undefined
  if (hex(payloadCommitment(salt, payload)) !== execution.payload_commitment) return undefined
  return { node: version.node, action, payload, system }
}

/** The correction of a person, if the action accepts such a payload. */
async function correctionOf(ctx: Context, { node_id, version }: Execution, { action }: Known, one: Stored<Feedback>) {
  if (verdictOf(one) !== 'bad' || !one.correction) return undefined
  const payload = await openCorrection(ctx, one)
  const schema = action.input_schema
  const violations = schema && payload ? checkPayload(`${node_id}@${version}/${action.action_id}`, schema, payload) : []
  return payload && violations.length === 0 ? payload : undefined
}

type SampleFacts = Omit<Sample, 'group' | 'content' | 'features' | 'simhash' | 'place'>

/** `asked`: what was asked for where the payload is another one. */
function add(
  { scratch, collected }: Pick<Into, 'scratch' | 'collected'>,
  { style, filters }: Made,
  known: Known,
  facts: SampleFacts,
  asked = known,
) {
  const { node, action, payload, system } = known
  const task = taskOf(node.id, action, asked.payload, filters.group_by)
  const named = {
    ...(system !== undefined && { system }),
    node: { id: node.id, name: node.name },
    action: describedOf(action, style),
    task,
  }
  const { value, redactions, residual, types } = cleaned({ ...named, payload }, filters)
  if (filters.pii === 'drop' && redactions > 0) {
    collected.counts.pii_dropped += 1
    return
  }
  const texts: Texts = {
    prompt: promptOf(value, value.system),
    completion: completionOf(value, value.payload, style),
    ...(style === 'tool_calls' && { tools: toolsOf(value) }),
  }
  const group = sha256Hex(canonicalJson(texts.prompt))
  const features = featuresOf(value.payload)
  collected.counts.pii_redactions += redactions
  collected.residual += residual
  for (const [type, found] of Object.entries(types)) collected.types[type] = (collected.types[type] ?? 0) + found
  collected.samples.push({
    ...facts,
    group,
    content: sha256Hex(group + canonicalJson(texts.completion)),
    features,
    simhash: simHash(features),
    place: scratch.append(texts),
  })
}

const describedOf = ({ action_id, description, input_schema }: Endpoint, style: Dataset['style']) => ({
  action_id,
  ...(description !== undefined && { description }),
  ...(style === 'tool_calls' && input_schema && { input_schema }),
})

type Document = {
  system?: string
  node: Pick<Node, 'id' | 'name'>
  action: ReturnType<typeof describedOf>
  task: string
  payload: JsonObject
}

/** The prompt comes first: placeholders count through the document, and equal prompts must stay equal. */
function cleaned(document: Document, { pii }: DatasetFilters) {
  if (pii === 'keep') return { value: document, redactions: 0, residual: 0, types: {} }
  const { value, ...found } = redactAll(document as unknown as Json) // a schema is JSON, too
  return { value: value as unknown as Document, ...found }
}

type Version = { system_prompt: string; from: number }

/**
 * The prompt of the persona as which an agent acted, in the version that was in force then. Reads the versions of each persona
 * once.
 */
export class Prompts {
  readonly #ctx: Context
  readonly #known = new Map<string, Promise<Version[]>>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Undefined without a persona. */
  async of({ id, learned }: Execution): Promise<string | undefined> {
    const { persona } = unpackUsed(learned)
    if (persona === null) return undefined
    const versions = this.#known.get(persona) ?? this.#read(persona)
    this.#known.set(persona, versions)
    const at = timeOfId(id)
    return (
      (await versions).findLast(({ from }) => from <= at)?.system_prompt ??
      seedOf(this.#ctx.space, persona)?.system_prompt
    )
  }

  async #read(persona_key: string): Promise<Version[]> {
    const { table, space } = this.#ctx
    const pk = spaceKey(space, 'PERSONA', persona_key)
    const found = await table.query(personaVersions, { pk, to: '9~' })
    return found.map(({ system_prompt, updated_at }) => ({ system_prompt, from: Date.parse(updated_at) }))
  }
}
