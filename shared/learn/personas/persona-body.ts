// What a change of a persona may say. It replaces the whole configuration.
import * as z from 'zod'
import { TIERS } from '../../base/catalog/kinds.ts'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { SLOT } from '../models/model.ts'

const globs = z.array(z.string().min(1).max(256)).max(200)

/** With a value for absent members. */
const or = <S extends z.ZodType>(schema: S, usual: z.output<S>) => optional(schema).transform((value) => value ?? usual)

export const PersonaBody = z.strictObject({
  display_name: displayName(120),
  description: or(z.string().max(2_000), ''),
  system_prompt: z.string().min(1).max(16_000),
  model_slot: optional(z.string().regex(SLOT, 'must be the name of a slot')),
  tone: or(plainText(60), 'neutral'),
  temperature: or(z.number().min(0).max(2), 0.2),
  max_tokens: or(z.int().min(1).max(200_000), 1_024),
  allowed_nodes: or(globs, []),
  denied_nodes: or(globs, []),
  tier_ceiling: or(z.enum(TIERS), 'HARD'),
  default_require_approval: or(z.boolean(), false),
  languages: or(z.array(z.string().regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'must be a language tag')).max(50), []),
  enabled: or(z.boolean(), true),
  version: optional(z.int().min(1)),
})
export type PersonaBody = z.output<typeof PersonaBody>
