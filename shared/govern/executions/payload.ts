// What is found in the payload and the output of an execution: the class of its action, and personal data and secrets. Most have none,
// so the code that counts them loads late.
import type { Classification } from '../governance/words/classify.ts'
import type { Governance } from '../governance/governance.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { type LoadedAction, RUNNER_NODE_ID } from '../manifests/load.ts'
import type { Context } from '../../base/context.ts'
import type { Json } from '../../base/lib/json.ts'
import type { Write } from '../../base/table/entity.ts'
import { iso } from '../../base/lib/clock.ts'
import { piiEvents, type PiiFound } from '../governance/pii/event.ts'
import { findPointer, type GovernanceSettings, readSettings } from '../governance/settings.ts'
import type { Execution } from './execution.ts'

/**
 * An agent's command is classified by its text, every other action by its manifest and payload. An erased payload gives no
 * signals. The classifier is loaded with the first action, because it is large.
 */
export async function classifyAction(
  action: LoadedAction,
  payload: JsonObject | null,
  { settings, lexicon }: Pick<Governance, 'settings' | 'lexicon'>,
  trust?: number,
): Promise<Classification> {
  const { classify, classifyCommand } = await import('../governance/words/classify.ts')
  const { node, endpoint, trusted } = action
  if (node.id === RUNNER_NODE_ID && typeof payload?.command === 'string') {
    return classifyCommand({ command: payload.command, payload, endpoint, settings, trust, lexicon })
  }
  return classify({ node, endpoint, payload: payload ?? undefined, settings, kindIsVouched: trusted, trust, lexicon })
}

const INPUT = { off: 'detected', detect: 'detected', redact: 'redacted', block: 'blocked' } as const
/** The target has acted already, so its output cannot be refused any more. */
const OUTPUT = { ...INPUT, block: 'detected' } as const

const OUTWARD: readonly string[] = ['email', 'message_external']

/** Undefined when there is none; in mode `off` nothing counts as personal data. */
export async function foundInPayload(
  { space }: Context,
  { inspection, kind }: Classification,
  { pii_mode }: GovernanceSettings,
): Promise<PiiFound | undefined> {
  if (inspection.findings.length === 0) return undefined
  const { summed } = await import('../governance/pii/search.ts')
  const external = inspection.external || OUTWARD.includes(kind)
  return summed(space, inspection, { direction: 'input', action: INPUT[pii_mode], external })
}

/** Under the present settings, which are read only if something was found. The answer of a target stays inside the tenant. */
export async function foundInOutput({ table, space }: Context, output: Json): Promise<PiiFound | undefined> {
  const { searchPii, summed } = await import('../governance/pii/search.ts')
  const searched = searchPii(output)
  if (searched.findings.length === 0) return undefined
  const { pii_mode } = readSettings(await findPointer(table, space))
  if (pii_mode === 'off') return undefined
  return summed(space, searched, { direction: 'output', action: OUTPUT[pii_mode], external: false })
}

/** Goes into the commit that stores the document. */
export const piiWrites = (ctx: Context, { id, node_id }: Execution, found: PiiFound | undefined): Write[] =>
  found ? [piiEvents.insert({ ...ctx.space, ...found, execution_id: id, node_id, at: iso(ctx.now()) })] : []
