// What a change of a persona may say. It replaces the whole configuration.
import * as z from 'zod'
import { TIERS } from '../../base/catalog/kinds.ts'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { SLOT } from '../models/model.ts'

const globs = z.array(z.string().min(1).max(256)).max(200)

/** With a value for absent members. */
const or = <S extends z.ZodType>(schema: S, usual: z.output<S>) => optional(schema).transform((value) => value ?? usual)

export const PersonaBody = z.strictObject({
  display_name: displayName(120).describe('Its name for people.'),
  description: or(z.string().max(2_000), '').describe('A description for people.'),
  system_prompt: z.string().min(1).max(16_000).describe('How an agent of this persona is instructed.'),
  model_slot: optional(z.string().regex(SLOT, 'must be the name of a slot')).describe('The model that the agent uses.'),
  tone: or(plainText(60), 'neutral').describe('How it speaks.'),
  temperature: or(z.number().min(0).max(2), 0.2).describe('Temperature of the language model, from 0 to 2.'),
  max_tokens: or(z.int().min(1).max(200_000), 1_024).describe('The most tokens of an answer.'),
  allowed_nodes: or(globs, []).describe('Globs of the nodes that it may use; none: all.'),
  denied_nodes: or(globs, []).describe('Globs of the nodes that it may not use.'),
  tier_ceiling: or(z.enum(TIERS), 'HARD').describe('What ends up with a stricter tier is rejected.'),
  default_require_approval: or(z.boolean(), false).describe('Every action of it needs an approval.'),
  languages: or(
    z.array(z.string().regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'must be a language tag')).max(50),
    [],
  ).describe('Languages that it speaks.'),
  enabled: or(z.boolean(), true).describe('Whether it is in force.'),
  version: optional(z.int().min(1)).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type PersonaBody = z.output<typeof PersonaBody>
