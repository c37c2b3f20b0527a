// The stored lexicon of a tenant: its own verbs and nouns by kind. One item per mode.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { LexiconWords } from './lexicon-words.ts'

export const StoredLexicon = z.object({
  ...spaceMembers,
  version: z.int(),
  /** JSON of the words by kind. */
  body: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
})
export type StoredLexicon = z.output<typeof StoredLexicon>

/** In the partition of the policies, because they are read together. */
export const lexicons = entity({
  name: 'LEXICON',
  unbound: 'proven by itself',
  schema: StoredLexicon,
  key: (of: Space) => ({ pk: spaceKey(of, 'POLICY'), sk: 'lexicon' }),
})

export const wordsOf = ({ body }: StoredLexicon): LexiconWords => JSON.parse(body)
