// Personas: the roles in which agents act. Decisions read which nodes and tiers a persona may use; prompt and tone are for the program
// that runs the agent. Every tenant has some built-in ones, which are stored only after somebody changes one.
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

type Seed = Pick<StoredPersona, 'persona_key' | 'display_name' | 'description' | 'system_prompt'> &
  Partial<StoredPersona>

const COMMON = {
  tone: 'neutral',
  temperature: 0.2,
  max_tokens: 1_024,
  allowed_nodes: [],
  denied_nodes: [],
  tier_ceiling: 'HARD',
  default_require_approval: false,
  languages: ['en'],
  enabled: true,
  updated_at: '2026-01-01T00:00:00.000Z',
  updated_by: { type: 'system', id: 'system' },
} satisfies Partial<StoredPersona>

const SEEDS: readonly Seed[] = [
  {
    persona_key: 'default',
    display_name: 'Default',
    description: 'Acts within the rules of the tenant alone.',
    system_prompt:
      'You are an agent whose actions are governed. Answer with one JSON object: the payload of the action.',
  },
  {
    persona_key: 'cautious',
    display_name: 'Cautious',
    description: 'Asks a person before every action.',
    system_prompt:
      'You are a careful agent whose actions are governed. A person approves each of them. Answer with one JSON object: the payload of the action.',
    default_require_approval: true,
    temperature: 0,
  },
  {
    persona_key: 'analyst',
    display_name: 'Analyst',
    description: 'Reads and compares, and changes nothing.',
    system_prompt:
      'You are an analyst whose actions are governed. You read and compare, and change nothing. Answer with one JSON object: the payload of the action.',
    tier_ceiling: 'AUTO',
    temperature: 0,
  },
  {
    persona_key: 'support',
    display_name: 'Support',
    description: 'Helps customers with what can be undone.',
    system_prompt:
      'You are a support agent whose actions are governed. You help customers, politely and briefly. Answer with one JSON object: the payload of the action.',
    tier_ceiling: 'SOFT',
    tone: 'friendly',
    temperature: 0.4,
  },
  {
    persona_key: 'operator',
    display_name: 'Operator',
    description: 'Operates systems; what is dangerous waits for a person.',
    system_prompt:
      'You are an operator whose actions are governed. You prefer the smallest change that helps. Answer with one JSON object: the payload of the action.',
    temperature: 0,
  },
]

export const seedsOf = ({ tenant_id, mode }: Space): StoredPersona[] =>
  SEEDS.map((seed) => ({ ...COMMON, ...seed, tenant_id, mode }))

/** Undefined for a key that is none of the built-in ones. */
export const seedOf = (space: Space, key: string): StoredPersona | undefined =>
  seedsOf(space).find(({ persona_key }) => persona_key === key)
