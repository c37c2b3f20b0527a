import type { Kind } from '../../base/catalog/kinds.ts'

type ByKind = Partial<Record<Kind, string[]>>

/** A tenant's own words: verbs and nouns by kind, and nouns that name what is read. */
export type LexiconWords = { verbs: ByKind; nouns: ByKind; read_nouns: string[] }

export const countWords = ({ verbs, nouns, read_nouns }: LexiconWords): number =>
  [...Object.values(verbs), ...Object.values(nouns), read_nouns].flat().length
