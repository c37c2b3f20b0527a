// Personas as the API finds, lists and shows them.
import type { Stored } from '../../base/table/entity.ts'
import { personas, seedsOf, StoredPersona } from '../../govern/learned/persona.ts'
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { readPersona } from '../../govern/learned/learned-for.ts'

/** A persona as it is now; `_v` is absent for a built-in one that nobody has changed. */
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

/** Throws 404. */
export async function findPersona({ table, space }: Context, key: string): Promise<PersonaNow> {
  const found = await readPersona(table, space, key)
  if (!found) throw notFound('persona')
  return found
}

/** In the order of the built-in ones. */
export async function allPersonas({ table, space }: Context): Promise<PersonaNow[]> {
  const seeds = seedsOf(space)
  const changed = await table.getAll(personas, seeds)
  return seeds.map((seed) => changed.find(({ persona_key }) => persona_key === seed.persona_key) ?? seed)
}
