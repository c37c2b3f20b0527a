// A persona: as what an agent acts. Decisions read which nodes and tiers it may use; prompt and tone are for whoever runs the
// agent.
import * as z from 'zod'
import { TIERS } from '../../base/catalog/kinds.ts'
import type { Space } from '../../base/context.ts'
import { bound } from '../../base/table/bound.ts'
import { padded, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const PERSONA_KEY = /^[a-z][a-z0-9_-]{0,39}$/

export const StoredPersona = z.lazy(() =>
  z.object({
    ...spaceMembers,
    persona_key: z.string(),
    display_name: z.string(),
    description: z.string(),
    system_prompt: z.string(),
    model_slot: z.string().optional(),
    tone: z.string(),
    temperature: z.number(),
    max_tokens: z.int(),
    /** Globs; none: all nodes. */
    allowed_nodes: z.array(z.string()),
    denied_nodes: z.array(z.string()),
    tier_ceiling: z.enum(TIERS),
    default_require_approval: z.boolean(),
    languages: z.array(z.string()),
    enabled: z.boolean(),
    updated_at: z.string(),
    updated_by: z.object({ type: z.string(), id: z.string() }),
  }),
)
export type StoredPersona = z.output<typeof StoredPersona>

/** The version in force; its number is the revision of the item. */
export const personas = bound({
  name: 'PERSONA',
  schema: StoredPersona,
  key: (of: Space & { persona_key: string }) => ({ pk: spaceKey(of, 'PERSONA', of.persona_key), sk: 'LATEST' }),
  free: [],
})

/** Every version that was ever in force. */
export const personaVersions = bound({
  name: 'PERSONAVERSION',
  schema: z.lazy(() => StoredPersona.unwrap().extend({ version: z.int() })),
  key: (of: Space & { persona_key: string; version: number }) => ({
    pk: spaceKey(of, 'PERSONA', of.persona_key),
    sk: padded(of.version),
  }),
  free: [],
})
