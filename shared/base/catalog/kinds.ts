// The closed lists of tiers and kinds of action, and their order. All comparisons of strictness are in this file.

/** Of the format of manifests. */
export const PROTOCOL_VERSIONS = ['1.0'] as const

/** From loose to strict. */
export const TIERS = ['AUTO', 'SOFT', 'HARD'] as const

export type Tier = (typeof TIERS)[number]

const RANK: Record<Tier, number> = { AUTO: 0, SOFT: 1, HARD: 2 }

export const isStricter = (tier: Tier, than: Tier): boolean => RANK[tier] > RANK[than]

/** The strictest of the given tiers. Absent ones are ignored. */
export function maxTier(...tiers: (Tier | undefined)[]): Tier {
  let strictest: Tier = 'AUTO'
  for (const tier of tiers) if (tier && isStricter(tier, strictest)) strictest = tier
  return strictest
}

/** One tier stricter; HARD stays HARD. */
export const stepUp = (tier: Tier): Tier => (tier === 'AUTO' ? 'SOFT' : 'HARD')

type KindRow = {
  /** The tier of this kind before policies and settings are applied. */
  tier: Tier
  /** No policy, learning or administrator can lower the tier below this. AUTO means no floor. */
  classFloor: Tier
  /** Base of the risk score, 0..100. */
  risk: number
}

const auto: KindRow = { tier: 'AUTO', classFloor: 'AUTO', risk: 5 }
const soft = (risk: number): KindRow => ({ tier: 'SOFT', classFloor: 'AUTO', risk })
const hard = (risk: number): KindRow => ({ tier: 'HARD', classFloor: 'AUTO', risk })
const floored = (risk: number): KindRow => ({ tier: 'HARD', classFloor: 'HARD', risk })

/** Every kind, mildest first. */
export const KIND_NAMES = [
  'read',
  'search',
  'diagnose',
  'analyse',
  'monitor',
  'suggest',
  'notify',
  'write',
  'update',
  'unknown',
  'secret_read',
  'destructive',
  'execute',
  'permission',
  'email',
  'message_external',
  'deploy',
  'delete',
  'payment',
] as const

export type Kind = (typeof KIND_NAMES)[number]

export const KINDS: Record<Kind, KindRow> = {
  read: auto,
  search: auto,
  diagnose: auto,
  analyse: auto,
  monitor: auto,
  suggest: soft(20),
  notify: soft(20),
  write: soft(30),
  update: soft(35),
  unknown: hard(60),
  secret_read: hard(65),
  destructive: hard(65),
  execute: hard(65),
  permission: hard(65),
  email: floored(70),
  message_external: floored(70),
  deploy: floored(80),
  delete: floored(85),
  payment: floored(90),
}

/** Whether `kind` is strictly higher than `than`: by tier, then by risk. */
export function isHigher(kind: Kind, than: Kind): boolean {
  const [one, other] = [KINDS[kind], KINDS[than]]
  return one.tier === other.tier ? one.risk > other.risk : isStricter(one.tier, other.tier)
}

/** The higher of two kinds; the first when they are equal. */
export const higherKind = (a: Kind, b: Kind): Kind => (isHigher(b, a) ? b : a)

/** The rows of a table by kind. */
export const byKind = <V>(table: Partial<Record<Kind, V>>): [Kind, V][] =>
  KIND_NAMES.flatMap((kind): [Kind, V][] => {
    const row = table[kind]
    return row === undefined ? [] : [[kind, row]]
  })
