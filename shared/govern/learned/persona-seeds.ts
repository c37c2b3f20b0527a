// The personas that every tenant has. They are stored only once somebody changes one.
import type { Space } from '../../base/context.ts'
import type { StoredPersona } from './stored-persona.ts'

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
