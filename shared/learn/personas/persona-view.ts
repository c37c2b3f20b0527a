import type { Stored } from '../../base/table/entity.ts'
import { StoredPersona } from '../../govern/learned/persona.ts'

/** A persona as it stands; `_v` is absent for a built-in one that nobody has changed. */
export type PersonaNow = StoredPersona & Partial<Pick<Stored<object>, '_v'>>

/** Versions begin with 1, also those of built-in personas, which are not stored at first. */
export const versionOf = ({ _v = 0 }: PersonaNow): number => _v + 1

export const PersonaView = StoredPersona.unwrap()
  .omit({ mode: true })
  .extend({
    id: StoredPersona.unwrap().shape.persona_key.describe('The id, which never changes.'),
    version: StoredPersona.unwrap().shape.max_tokens.describe(
      'The version, which grows with each change. Send it as `If-Match` with the next change.',
    ),
  })

export const personaView = (persona: PersonaNow) => ({
  ...persona,
  id: persona.persona_key,
  version: versionOf(persona),
})
