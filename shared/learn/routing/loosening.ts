import { isStricter, type Kind, type Tier } from '../../base/catalog/kinds.ts'

/** Kinds that nothing that was learnt loosens. */
const NEVER_LOOSENED: readonly Kind[] = ['execute', 'permission', 'secret_read', 'unknown']
/** What the service itself offers, which agents would otherwise open for themselves. */
const OWN = ['platform.', 'agent.command.']

export const mayLoosen = ({ kind, node_id }: { kind: Kind; node_id: string }): boolean =>
  !NEVER_LOOSENED.includes(kind) && !OWN.some((prefix) => node_id.startsWith(prefix))

export const isLooser = (tier: Tier, than: Tier): boolean => isStricter(than, tier)
