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
import { findPersona } from './find-persona.ts'
import { looseningIn } from './loosening.ts'
import type { PersonaBody } from './persona-body.ts'
import { type PersonaNow, versionOf } from './persona-view.ts'

/** Throws 403 for a change that may loosen, 404, and 409 for one that was made for another version. */
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

/** What people wrote stands in the persona alone; the artifact holds its digest. */
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
