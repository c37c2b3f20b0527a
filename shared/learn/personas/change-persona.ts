// Replaces the configuration of a persona. Each version is kept. What may loosen is done in person, by somebody who may change policies.
import type { Context } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { personas, personaVersions, type StoredPersona } from '../../govern/learned/persona.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { mailToOwners } from '../../identity/access/outrank.ts'
import { mustBeInPerson } from '../../identity/access/assurance.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { findPersona, type PersonaNow, versionOf } from './persona-view.ts'
import { isStricter, TIERS } from '../../base/catalog/kinds.ts'
import * as z from 'zod'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { SLOT } from '../models/model.ts'

/**
 * Replaces the configuration and stores it as the next version; decisions follow it from then on. Throws 404, 409 for a change
 * that was made for another version, and 403 for one that may loosen unless a person with policies:write makes it in person;
 * the owners then get a mail. Whether a change loosens is computed from both versions.
 */
export async function changePersona(
  ctx: Context,
  key: string,
  { version: named, ...body }: PersonaBody,
): Promise<PersonaNow> {
  const was = await findPersona(ctx, key)
  mustBeCurrent(named, versionOf(was))
  const loosened = looseningIn(was, body)
  if (loosened !== undefined) await mustBeAllowed(ctx, loosened)
  const { kind: type, id } = ctx.principal
  const next: StoredPersona = {
    ...ctx.space,
    ...body,
    persona_key: was.persona_key,
    updated_at: iso(ctx.now()),
    updated_by: { type, id },
  }
  const version = versionOf(was) + 1
  const lost = conflict('The persona was changed by another request. Read it again, then repeat your change.')
  const write = was._v === undefined ? personas.insert(next, lost) : personas.replace(next, { _v: was._v }, lost)
  await ctx.table.commit(
    [write, personaVersions.insert({ ...next, version }, lost), ...traces(ctx, was, next, { version, loosened })],
    was.persona_key,
  )
  return { ...next, _v: (was._v ?? 0) + 1 }
}

async function mustBeAllowed(ctx: Context, field: string): Promise<void> {
  const { kind, permissions } = ctx.principal
  if (kind !== 'user' || !permissions.has('policies:write'))
    throw forbidden(`This change of ${field} may loosen what the persona refuses. Ask a person with policies:write.`)
  mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
}

type Change = { version: number; loosened: string | undefined }

/** Texts of people are in the persona alone; the artifact holds their digest. */
function traces(ctx: Context, was: PersonaNow, next: StoredPersona, { version, loosened }: Change) {
  const { updated_at, updated_by, system_prompt, description, ...shown } = next
  const { updated_at: _at, updated_by: _by, system_prompt: _prompt, description: _text, _v, ...before } = was
  return changed(
    ctx,
    [
      {
        action: 'persona.updated',
        artifact: 'training.persona.updated',
        subject: { type: 'persona', id: next.persona_key, name: next.display_name },
        data: { version, sha256: sha256Hex(canonicalJson({ ...shown, system_prompt, description })) },
        changes: differences(before, shown, Object.keys(shown)),
      },
    ],
    { mails: loosened === undefined ? [] : [mailToOwners(ctx, `a persona, so that less is held (${loosened})`)] },
  )
}

type Rules = Pick<
  StoredPersona,
  'allowed_nodes' | 'denied_nodes' | 'tier_ceiling' | 'default_require_approval' | 'enabled' | 'model_slot'
>

/**
 * The first member of a change that may let something pass that was refused or raised before. Globs are not compared by what
 * they match: any other list of allowed nodes may be wider. Another slot may hold a model that raises less, or none.
 */
function looseningIn(was: Rules, next: Rules): keyof Rules | undefined {
  const rules: [keyof Rules, boolean][] = [
    ['allowed_nodes', JSON.stringify(was.allowed_nodes) !== JSON.stringify(next.allowed_nodes)],
    ['denied_nodes', was.denied_nodes.some((glob) => !next.denied_nodes.includes(glob))],
    ['tier_ceiling', isStricter(next.tier_ceiling, was.tier_ceiling)],
    ['default_require_approval', was.default_require_approval && !next.default_require_approval],
    ['enabled', !was.enabled && next.enabled],
    ['model_slot', was.model_slot !== next.model_slot],
  ]
  return rules.find(([, loosens]) => loosens)?.[0]
}

const globs = z.array(z.string().min(1).max(256)).max(200)

/** A member with a default. */
const or = <S extends z.ZodType>(schema: S, usual: z.output<S>) => optional(schema).transform((value) => value ?? usual)

/** What a change of a persona may say. It replaces the whole configuration. */
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
