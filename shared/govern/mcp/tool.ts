// An action as a tool. Tier and annotations come from the classification and never from the author of the manifest, so a client may
// believe them.
import type { Tier } from '../../base/catalog/kinds.ts'
import { KINDS, type Kind } from '../../base/catalog/kinds.ts'
import { classify } from '../governance/words/classify.ts'
import type { Governance } from '../governance/governance.ts'
import type { LoadedVersion } from '../manifests/load.ts'
import type { Endpoint } from '../manifests/manifest.ts'

export type Tool = {
  name: string
  title?: string
  description: string
  inputSchema: object
  annotations: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>
  _meta?: object
}

const NOTICE: Partial<Record<Tier, string>> = {
  SOFT: 'Can be undone for 30 seconds.',
  HARD: "Waits for a person's approval before it runs.",
}

/** Ours follows it, so it must end. */
const sentence = (text: string): string => (/[.!?…]\s*$/.test(text) ? text : `${text}.`)

const DESTRUCTIVE: ReadonlySet<Kind> = new Set(['delete', 'destructive', 'payment', 'deploy', 'execute', 'permission'])
const OUTWARD: ReadonlySet<Kind> = new Set(['email', 'message_external'])

export function toolOf(
  name: string,
  { node, stored }: LoadedVersion,
  endpoint: Endpoint,
  { settings, lexicon }: Pick<Governance, 'settings' | 'lexicon'>,
): Tool {
  const { kind, tier } = classify({ node, endpoint, settings, kindIsVouched: stored.trusted, lexicon })
  const title = `${node.name}: ${endpoint.action_id}`
  const said = sentence(endpoint.description || title) // clients want a description of every tool
  const texts = [said, NOTICE[tier]].filter((text) => text !== undefined)
  return {
    name,
    title,
    description: texts.join(' '),
    inputSchema: { ...endpoint.input_schema, type: 'object' },
    annotations: {
      readOnlyHint: KINDS[kind].tier === 'AUTO',
      destructiveHint: DESTRUCTIVE.has(kind),
      idempotentHint: endpoint.idempotency === true,
      openWorldHint: OUTWARD.has(kind) || endpoint.target !== undefined,
    },
    _meta: {
      'countersign/node_id': node.id,
      'countersign/action_id': endpoint.action_id,
      'countersign/tier': tier,
      'countersign/version': node.version,
    },
  }
}
