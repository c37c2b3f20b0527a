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
    persona_key: z.string().describe('Key of the persona that the agent uses.'),
    display_name: z.string().describe('Its name for people.'),
    description: z.string().describe('A description for people.'),
    system_prompt: z.string().describe('How an agent of this persona is instructed.'),
    model_slot: z.string().optional().describe('The model that the agent uses.'),
    tone: z.string().describe('How it speaks.'),
    temperature: z.number().describe('Temperature of the language model, from 0 to 2.'),
    max_tokens: z.int().describe('The most tokens of an answer.'),
    allowed_nodes: z.array(z.string()).describe('Globs of the nodes that it may use; none: all.'),
    denied_nodes: z.array(z.string()).describe('Globs of the nodes that it may not use.'),
    tier_ceiling: z.enum(TIERS).describe('What ends up with a stricter tier is rejected.'),
    default_require_approval: z.boolean().describe('Every action of it needs an approval.'),
    languages: z.array(z.string()).describe('Languages that it speaks.'),
    enabled: z.boolean().describe('Whether it is in force.'),
    updated_at: z.string().describe('When it was last changed.'),
    updated_by: z
      .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
      .describe('The caller that last changed it.'),
  }),
)
export type StoredPersona = z.output<typeof StoredPersona>

/** The version in force; its number is the revision of the item. */
export const personas = bound({
  name: 'PERSONA',
  schema: StoredPersona,
  key: (of: Space & { persona_key: string }) => ({ pk: spaceKey(of, 'PERSONA', of.persona_key), sk: 'LATEST' }),
})

/** Every version that was ever in force. */
export const personaVersions = bound({
  name: 'PERSONAVERSION',
  schema: z.lazy(() => StoredPersona.unwrap().extend({ version: z.int() })),
  key: (of: Space & { persona_key: string; version: number }) => ({
    pk: spaceKey(of, 'PERSONA', of.persona_key),
    sk: padded(of.version),
  }),
})
